"""Reads and replays the transcripts of testdata/flows; their README.md describes the form."""

import hashlib
import json
import re
from pathlib import Path

from leanmem import Error, Store, World
from leanmem.effects import perform
from leanmem.wire import dumps

ROOT = Path(__file__).resolve().parents[3]
NAMES = sorted(p.stem for p in (ROOT / "testdata/flows").glob("*.txt"))


class Call:
    """One call of a transcript, with the script above it and the output below."""

    def __init__(self, verb, brief, request, script):
        self.verb, self.brief, self.request, self.script, self.output = verb, brief, request, script, ""


def read(name):
    calls, defaults, script = [], {}, []
    for line in (ROOT / f"testdata/flows/{name}.txt").read_text("utf-8").split("\n"):
        rest = line[2:]
        if line == "" or line[0] == "#":
            continue
        if line[0] in "?=<! }":
            calls[-1].output += line + "\n"
        elif line[0] == "@":
            defaults = json.loads(rest)
        elif line[0] == "%":
            script.append(_script(rest))
        elif line[0] == "|":
            script[-1]["text"] += ("\n" if script[-1]["text"] else "") + rest
        else:
            brief, verb, request = re.fullmatch(r">(>?) *(\S+) *(.*)", line).groups()
            calls.append(Call(verb, bool(brief), {**defaults, **json.loads(request or "{}")}, script))
            script = []
    return calls


def _script(line):
    fields, _, failure = line.partition(" error ")
    op, *settings = fields.split()
    out = {"op": op, "text": "", "after": 0, "finish": "stop", "error": json.loads(failure) if failure else None}
    for setting in settings:
        key, _, value = setting.partition("=")
        out[key] = int(value) if key == "after" else value
    return out


def expand(value, results):
    """Replaces "@…" by turns of a dialogue and "$…" by part of an earlier result."""
    if isinstance(value, dict):
        return {k: expand(v, results) for k, v in value.items()}
    if isinstance(value, list):
        return [expand(v, results) for v in value]
    if isinstance(value, str) and value[:1] == "@":
        return excerpt(value[1:])
    if isinstance(value, str) and value[:1] == "$":
        at = results
        for part in value[1:].split("."):
            at = at[int(part)] if isinstance(at, list) else at[part]
        return at
    return value


def excerpt(what):
    name, run, session = re.fullmatch(r"([^/#]+)(?:/([^#]+))?(?:#(.+))?", what).groups()
    first, _, last = (run or "").partition("..")
    last = last or first
    sessions, within = [], False
    for line in (ROOT / f"testdata/dialogues/{name}.jsonl").read_text("utf-8").splitlines():
        turn = json.loads(line)
        id = turn.pop("session")
        within = within or turn["id"] == first
        if (run and not within) or (session and id != session):
            continue
        if not sessions or sessions[-1]["id"] != id:
            sessions.append({"id": id, "turns": [], **({} if run else {"close": True})})
        sessions[-1]["turns"].append(turn)
        within = within and turn["id"] != last
    return sessions


class Transcript:
    """The world behind a transcript: an empty store, and models that follow the script."""

    def __init__(self):
        self.world = World(store=Store(":memory:"), complete=self._complete, embed=_lengths)
        self.results, self.script, self.seen, self.lines = {}, [], {}, []

    def call(self, run, call):
        """Performs a call through run(verb, request, perform) and gives what it makes."""
        self.script, self.seen, self.lines = list(call.script), {}, []
        try:
            out = run(call.verb, dumps(expand(call.request, self.results)), self._perform)
            self.results[call.verb] = json.loads(out)
            text = digest(out) if call.brief else escaped(json.dumps(json.loads(out), indent=2, ensure_ascii=False))
            self.lines.append(f"< {text}")
        except Error as e:
            self.lines.append(f"! {_json(e.to_wire())}")
        assert not self.script, f"{call.verb}: the script line for {self.script[0]['op']} was not used"
        return "".join(line + "\n" for line in self.lines)

    def _perform(self, request):
        self.lines += _request_lines(request)
        op = request["op"]
        n = self.seen[op] = self.seen.get(op, -1) + 1
        line = next((s for s in self.script if s["op"] == op and s["error"] and s["after"] == n), None)
        if line:
            self.script.remove(line)
            reply = {"error": line["error"]}
        else:
            reply = perform(self.world, request)
        self.lines += _reply_lines(request, reply)
        return reply

    def _complete(self, prompt):
        line = next((s for s in self.script if s["op"] == prompt["stage"]), None)
        if not line:
            raise Error("model_failed", f"the script has no reply for stage {prompt['stage']}")
        self.script.remove(line)
        if line["error"]:
            raise Error.from_wire(line["error"])
        return {"text": line["text"], "finish": line["finish"]}


def _lengths(texts, _purpose):
    """Points each text in the direction of its number of bytes modulo 8."""
    return "lengths", [[float(len(t.encode()) % 8 == i) for i in range(8)] for t in texts]


def _request_lines(r):
    op, bank = r["op"], r.get("bank")
    head = f"? {op}" + (f" bank={_printable(bank)}" if bank and op != "store_banks" else "")
    if op == "store_get":
        return [head + "".join(f" {_printable(k)}" for k in r.get("keys", []))]
    if op == "store_scan":
        return [f"{head} prefix={_printable(r.get('prefix'))} after={_printable(r.get('after'))} limit={r.get('limit', 0)}"]
    if op == "store_commit":
        writes = [f"  {_printable(k)} {'deleted' if v is None else digest(v)}" for k, v in r.get("writes", [])]
        return [f"{head} expected={r.get('expected') or '-'} version={r.get('version') or '-'}", *writes]
    if op == "store_banks":
        return [f"{head} after={_printable(r.get('after_bank'))} limit={r.get('limit', 0)}"]
    if op == "progress":
        p = r["progress"]
        return [f"{head} {p['stage']} {p['done']}/{p['total']}"]
    if op == "embed":
        return [f"{head} {r['purpose']} {_texts(r)}"]
    if op == "tag":
        return [f"{head} {_texts(r)}"]
    lines = [head]
    for p in r["prompts"]:
        schema = digest(escaped(_json(p["schema"])).encode()) if "schema" in p else "-"
        lines.append(
            f"  {p['stage']} system={digest(p['system'].encode())} schema={p.get('schema_name') or '-'}:{schema}"
            f" max_tokens={p.get('max_tokens', 0)} stream={_json(p.get('stream', False))}"
        )
        lines += _text_lines(p["user"])
    return lines


def _reply_lines(r, reply):
    op, version = r["op"], reply.get("current") or "-"
    if "error" in reply:
        return [f"= error {_json(reply['error'])}"]
    if op == "store_get":
        return [f"= version={version}" + "".join(f" {digest(v)}" for v in reply["values"])]
    if op == "store_scan":
        return [f"= version={version} more={_json(reply['more'])}", *(f"  {_printable(k)} {digest(v)}" for k, v in reply["entries"])]
    if op == "store_commit":
        return [f"= {'conflict' if reply['conflict'] else 'ok'} version={version}"]
    if op == "store_banks":
        return [f"= more={_json(reply['more'])}" + "".join(f" {_printable(n)}" for n in reply["banks"])]
    if op == "embed":
        model, rows = reply["vectors"]
        return [f"= {model} {len(rows)}×{len(rows[0])}"]
    lines = ["="]
    for c in reply.get("completions", []):
        lines += [f"  error {_json(c['error'])}"] if "error" in c else [f"  {c['finish']}", *_text_lines(c["text"])]
    return lines


def _texts(r):
    return f"{len(r['texts'])} {digest(chr(0).join(r['texts']).encode())}"


def _text_lines(text):
    return [f"  | {line}".rstrip(" ") for line in text.removesuffix("\n").split("\n")]


def digest(value):
    """The size of a value and the begin of its SHA-256."""
    return "-" if value is None else f"{len(value)}:{hashlib.sha256(value).hexdigest()[:8]}"


def _printable(value):
    """Bytes as they are, except blanks, backslashes and controls."""
    text = value.decode(errors="replace") if isinstance(value, bytes) else value or ""
    return re.sub(r"[\0-\x20\\\x7f]", lambda m: f"\\x{ord(m[0]):02x}", text) or "-"


def _json(value):
    return dumps(value).decode()


def escaped(text):
    """JSON as the core writes it: these five are escaped."""
    return re.sub("[<>&\u2028\u2029]", lambda m: f"\\u{ord(m[0]):04x}", text)


def outcome(output):
    """What remains of an output when it does not matter how much was loaded."""
    return re.split(r"^(?=[<!] )", output, flags=re.M)[-1]
