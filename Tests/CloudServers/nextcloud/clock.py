"""The server's time, which tests move."""

from __future__ import annotations

import time

from .database import Database


class Clock:
    """The machine's time and an offset, which is part of the state."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.offset = float(str(database.setting("clock", 0)))

    def now(self) -> float:
        return time.time() + self.offset

    def jump(self, seconds: float) -> None:
        """Moves the time forward, or back when `seconds` is negative."""
        self.offset += seconds
        self.database.set("clock", self.offset)
