"""Prints the seconds until the states of 1,000 files have arrived as the extensions of file managers request them.

Usage: emblems.py DESKTOP MOUNT: the directory of purvey_states.py, and a mounted domain with the files.
"""

import os
import sys
import time

sys.path.insert(0, sys.argv[1])
from gi.repository import GLib  # noqa: E402
from purvey_states import States  # noqa: E402

COUNT = 1_000
ROUNDS = 21

paths = [entry.path for entry in os.scandir(sys.argv[2])][:COUNT]
assert len(paths) == COUNT, f"{sys.argv[2]} has {len(paths)} files"
loop = GLib.MainLoop()
missing = set()
times = []


def arrived(path):
    missing.discard(path)
    if not missing:
        times.append(time.monotonic() - start)
        loop.quit()


def begin():
    """Requests the states as soon as the domain is known."""
    global start
    if not states.contains(paths[0]):
        return GLib.SOURCE_CONTINUE
    missing.update(paths)
    start = time.monotonic()
    for path in paths:
        states.want(path)
    return GLib.SOURCE_REMOVE


states = States(lambda paths, all: None, arrived)
GLib.timeout_add_seconds(60, lambda: sys.exit("the states did not arrive"))
for _ in range(ROUNDS):
    GLib.timeout_add(10, begin)
    loop.run()
assert all(states.known(path) is not None for path in paths)
for value in times[1:]:
    print(value)
