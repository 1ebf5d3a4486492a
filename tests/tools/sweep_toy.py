"""A process that works on toys, for the tests of sharing out: `python -m sweep_toy`."""

import os
import signal
import time
from pathlib import Path

from clast.backend.processes import attend


def save(mark):
    """Wait for SIGTERM, take a while to save, and note how many came."""
    came = []
    signal.signal(signal.SIGTERM, lambda number, _: came.append(number))
    mark.write_text(str(os.getpid()))
    while not came:
        time.sleep(0.01)
    time.sleep(0.3)
    mark.write_text(f"saved after {len(came)}")


def work(piece, say):
    """Do what the piece says; the file `mark`, if named, shows that it was begun."""
    if "mark" in piece and piece["do"] != "save":
        Path(piece["mark"]).write_text(str(os.getpid()))
    if piece["do"] == "save":
        save(Path(piece["mark"]))
    if piece["do"] == "die":
        os.kill(os.getpid(), piece.get("signal", signal.SIGKILL))
    if piece["do"] == "leave":
        raise SystemExit("no more of this")
    if piece["do"] == "sleep":
        time.sleep(60.0)
    print("this is no answer")
    value = piece.get("value", 0)
    say({"half": value / 2})
    return {"square": value**2, "process": os.getpid()}


if __name__ == "__main__":
    attend(work)
