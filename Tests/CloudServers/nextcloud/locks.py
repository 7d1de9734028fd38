"""File locks during transfers, as Nextcloud holds them: readers share, a change wants the name alone."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from .message import locked
from .nodes import Place

Key = tuple[int, str]


class FileLocks:
    """Locks on names. What holds one shares all folders above it. None outlasts the process. Leaf lock."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.shared: Counter[Key] = Counter()
        self.exclusive: set[Key] = set()

    @contextmanager
    def reading(self, place: Place) -> Iterator[None]:
        """Holds shared locks on a place and all above it; raises 423 where one is held alone."""
        keys = place.keys
        with self.lock:
            if any(key in self.exclusive for key in keys):
                raise locked(place.path)
            self.shared.update(keys)
        try:
            yield
        finally:
            self.release(keys)

    @contextmanager
    def changing(self, *places: Place, held: bool = False) -> Iterator[None]:
        """Holds exclusive locks on places; raises 423 where another request holds one. With `held`, the caller is a
        reader of each."""
        taken: list[Place] = []
        try:
            for place in places:
                self.take(place, 1 if held else 0)
                taken.append(place)
            yield
        finally:
            with self.lock:
                for place in taken:
                    self.exclusive.discard(place.keys[-1])
            for place in taken:
                self.release(place.keys[:-1])

    def take(self, place: Place, own: int) -> None:
        keys = place.keys
        with self.lock:
            if self.shared[keys[-1]] > own or any(key in self.exclusive for key in keys):
                raise locked(place.path)
            self.exclusive.add(keys[-1])
            self.shared.update(keys[:-1])

    def release(self, keys: list[Key]) -> None:
        with self.lock:
            self.shared.subtract(keys)
            for key in keys:
                if self.shared[key] <= 0:
                    del self.shared[key]
