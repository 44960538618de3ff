import http.server
import json
import math
import threading
import unittest

from leanmem import Error, models


class Server(http.server.BaseHTTPRequestHandler):
    """An OpenAI-compatible server that answers what a test lays out."""

    replies, asked = [], []

    def do_POST(self):
        self.asked.append((self.path, self.headers, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
        status, body, headers = self.replies.pop(0)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


class Models(unittest.TestCase):
    def setUp(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}/v1"
        Server.replies, Server.asked = [], []
        wait, models.WAIT = models.WAIT, 0.01
        self.addCleanup(setattr, models, "WAIT", wait)

    def replies(self, *replies):
        Server.replies = [r if len(r) == 3 else (*r, {}) for r in replies]

    def prompt(self, **fields):
        return models.chat(self.url, "m", "key")({"stage": "answer", "system": "Be brief.", "user": "Where?", **fields})

    def test_a_completion(self):
        usage = {"prompt_tokens": 5, "completion_tokens": 2}
        self.replies((200, {"choices": [{"message": {"content": "Lisbon"}, "finish_reason": "stop"}], "usage": usage}))
        out = self.prompt(schema={"type": "object"}, schema_name="s", max_tokens=9)
        self.assertEqual((out["text"], out["finish"], out["prompt_tokens"], out["output_tokens"]), ("Lisbon", "stop", 5, 2))
        path, headers, body = Server.asked[0]
        self.assertEqual((path, headers["Authorization"]), ("/v1/chat/completions", "Bearer key"))
        self.assertEqual([m["role"] for m in body["messages"]], ["system", "user"])
        self.assertEqual((body["temperature"], body["max_tokens"]), (0, 9))
        self.assertEqual(body["response_format"]["json_schema"]["schema"], {"type": "object"})

    def test_what_passes_is_tried_again(self):
        good = (200, {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]})
        self.replies((429, {}, {"Retry-After": "0"}), (503, {}), good)
        self.assertEqual(self.prompt()["text"], "yes")
        self.assertEqual(len(Server.asked), 3)

    def test_refusals_have_codes_and_repeat_nothing_of_the_prompt(self):
        for code, reply in (
            ("unauthorized", (401, {"error": "bad key: key"})),
            ("context_length", (400, {"error": "maximum context length; you sent: Where?"})),
            ("model_failed", (404, {"error": "no model"})),
            ("model_failed", (200, {"choices": []})),
            ("model_refused", (200, {"choices": [{"message": {"refusal": "no"}}]})),
        ):
            self.replies(reply)
            with self.assertRaises(Error) as caught:
                self.prompt()
            self.assertEqual(caught.exception.code, code)
            self.assertNotIn("Where?", caught.exception.message)

    def test_vectors_come_by_index_and_of_unit_length(self):
        data = [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 4]}]
        self.replies((200, {"data": data}))
        name, rows = models.embeddings(self.url, "e")(["a", ""], "document")
        self.assertEqual((name, rows), ("host:e", [[0.6, 0.8], [0, 1]]))
        self.assertTrue(all(math.isclose(math.hypot(*r), 1) for r in rows))
        self.assertEqual(Server.asked[0][2]["input"], ["a", " "])

    def test_vectors_that_do_not_fit_are_refused(self):
        for data in ([], [{"index": 1, "embedding": [1]}], [{"index": 0, "embedding": [0, 0]}]):
            self.replies((200, {"data": data}))
            with self.assertRaises(Error) as caught:
                models.embeddings(self.url, "e")(["a"], "query")
            self.assertEqual(caught.exception.code, "embed_failed")
