"""leanmem.wasm under Extism: effects are host functions, which block."""

import datetime
import json
import threading

import extism
from extism.extism import CompiledPlugin  # the package does not export it

from . import wire
from .effects import perform

ABI = "1.0"
EFFECTS = ("llm_complete", "embed", "tag", "store_get", "store_scan", "store_commit", "store_banks", "progress")

# A guest written in Go never gives memory back: after a message of this size
# its instance is replaced.
LARGE = 4 << 20


class Memory:
    """Long-term memory over what a World supplies.

    One instance of the plugin serves one call at a time, so calls wait for each
    other. A service that wants several at once opens several of these.
    """

    def __init__(self, wasm, world):
        self.world = world
        self._lock = threading.RLock()
        self._inside = False
        self._compiled = load(wasm, _FUNCTIONS)
        self._plugin = extism.Plugin(self._compiled)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._plugin = self._compiled = None

    def __call__(self, verb, **request):
        """Performs a verb, e.g. memory("search", bank="ana", query="Where does Ana live?")."""
        return json.loads(self.send(verb, wire.dumps(filled(self.world, request))))

    def send(self, verb, request):
        """Performs a verb on a request and gives its result, both JSON in bytes."""
        with self._lock:
            if self._inside:
                raise wire.Error("busy", f"{verb}: a callback of a call cannot call the same memory")
            if not self._plugin.function_exists(verb):
                raise wire.Error("unknown_verb", f'call "{verb}": not a verb')
            call = _Call(self.perform)
            self._inside = True
            try:
                out = self._plugin.call(verb, request, host_context=call)
            except extism.Error as e:
                call.reraise()
                raise self._failed(verb, e) from None
            finally:
                self._inside = False
            call.reraise()
            if len(request) + len(out) > LARGE:
                self._renew()
            return out

    def perform(self, request):
        """Answers one effect; override it to watch or to change them."""
        return perform(self.world, request)

    def _failed(self, verb, e):
        """The error that the plugin set; without one it trapped, and its instance is spoilt."""
        error = coded(e)
        if error is None:
            self._renew()
            return wire.Error("internal", f"{verb}: the instance stopped; what it had written stands", retryable=True)
        return error

    def _renew(self):
        self._plugin = extism.Plugin(self._compiled)


def filled(world, request):
    """Adds what every request carries: the core has no clock, and asks only whom it is told of."""
    now = datetime.datetime.now(datetime.timezone.utc).isoformat()
    return {"abi": ABI, "now": now, **request, "options": {**world.options(), **request.get("options", {})}}


def coded(e):
    try:
        return wire.Error.from_wire(json.loads(str(e)))
    except (ValueError, KeyError, TypeError):
        return None


def load(wasm, functions):
    """Compiles a file, its bytes, or nothing when that was done before.

    It takes seconds the first time; Extism keeps the result on disk.
    """
    if isinstance(wasm, CompiledPlugin):
        return wasm
    if not isinstance(wasm, bytes):
        with open(wasm, "rb") as f:
            wasm = f.read()
    return CompiledPlugin(wasm, wasi=True, functions=functions)


class _Call:
    """Answers the effects of one call."""

    def __init__(self, perform):
        self.perform = perform
        self.interrupt = None

    def answer(self, message):
        try:
            reply = self.perform(wire.decode_request(message))
        except BaseException as e:  # Ctrl-C: an exception cannot cross the guest
            self.interrupt = e
            reply = {"error": wire.Error("canceled", "interrupted").to_wire()}
        return wire.encode_reply(reply)

    def reraise(self):
        if self.interrupt is not None:
            raise self.interrupt


def _function(op):
    """The host function of an effect: a request in wire form in, its reply out."""
    pointer = [extism.ValType.PTR]

    @extism.host_fn(name=op, signature=(pointer, pointer))
    def function(plugin, params, results):
        message = plugin.input_bytes(params[0])
        plugin.return_bytes(results[0], plugin.host_context().answer(message))

    return function


# Extism registers host functions for good, so there is one for each effect and
# not for each World: which world is meant travels with the call.
_FUNCTIONS = [_function(op) for op in EFFECTS]
