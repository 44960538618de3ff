"""leanmem, long-term memory for agents, in a Python program: see example.py."""

from . import models, step
from .blocking import Memory
from .effects import World
from .store import Store
from .wire import Error

__all__ = ["Error", "Memory", "Store", "World", "models", "step"]
