"""The two artefacts, compiled once for all tests."""

import functools

import extism

from leanmem import Memory
from leanmem.step import Plugin

from .flows import ROOT


def wasm(name):
    """The bytes of an artefact that ./build.sh build made."""
    return (ROOT / "dist" / name).read_bytes()


@functools.cache
def _blocking():
    return Memory(wasm("leanmem.wasm"), None)._compiled


@functools.cache
def _step():
    return Plugin(wasm("leanmem-step.wasm"))._compiled


def memory(world):
    """A Memory with an instance of its own."""
    return Memory(_blocking(), world)


def stepper():
    return Plugin(_step())
