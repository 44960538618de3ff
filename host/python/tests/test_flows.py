import json
import unittest

from leanmem import step, wire

from . import plugin
from .flows import NAMES, Transcript, escaped, outcome, read


def blocking(memory):
    """Runs calls in the blocking plugin."""

    def run(verb, request, perform):
        memory.perform = perform
        return memory.send(verb, request)

    return run


def stepping(instance):
    """Runs calls in the step plugin."""

    def run(verb, request, perform):
        steps = step.flow(instance, verb, json.loads(request))
        try:
            want = next(steps)
            while True:
                want = steps.send([perform(r) for r in want])
        except StopIteration as done:
            return escaped(wire.dumps(done.value).decode()).encode()

    return run


class Flows(unittest.TestCase):
    maxDiff = None

    def replay(self, name, start, skip=()):
        """Cold, every call on a new instance, every byte; then warm, every result."""
        self.assertTrue(NAMES, "no transcripts")
        cold, warm, instance = Transcript(), Transcript(), start()
        for call in read(name):
            if call.verb in skip:
                continue
            about = f"{call.verb} {str(call.request)[:200]}"
            self.assertEqual(cold.call(start(), call), call.output, about)
            self.assertEqual(outcome(warm.call(instance, call)), outcome(call.output), f"warm {about}")


def _add(name):
    def test_blocking(self):
        self.replay(name, lambda: blocking(plugin.memory(None)), skip=("fly",))

    def test_step(self):
        self.replay(name, lambda: stepping(plugin.stepper()))

    setattr(Flows, f"test_{name}_blocking", test_blocking)
    setattr(Flows, f"test_{name}_step", test_step)


for _name in NAMES:
    _add(_name)
