"""How many pictures a second the page of `clast view --save` draws here in Chromium, without a graphics card.

    python benchmarks/viewer.py [--seconds 5] [--pages FOLDER]

A thousand cows and ten thousand hexagons fly about for 202 frames; pages play at the speed they begin with.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests" / "tools"))

import numpy as np
from browser import Browser, find_browser

import clast
from clast.laws import Linear
from clast.output.viewer.page import save_page
from clast.scene.plane import Box, Scene
from clast.shapes import cow, regular

FRAMES = 201
SIZE = 760, 480  # of the window, pixels
CASES = {
    "1000 cows": (1000, lambda: cow().scaled(cow().area ** -0.5)),
    "10 000 hexagons": (10_000, lambda: regular(6, 0.1, circumradius=0.6)),
}


def flying(folder: Path, grains: int, make: object) -> clast.Run:
    """A run of grains of area about 1 that fly through a periodic box."""
    shape = make()  # type: ignore[operator]
    across = round(grains**0.5)
    side = 2.2 * shape.reach * across
    scene = Scene(law=Linear(1e5), box=Box(side, side))
    rng = np.random.default_rng(1)
    for k in range(grains):
        place = (np.array([k % across, k // across]) + 0.5) * 2.2 * shape.reach
        scene.add(shape, tuple(place), angle=rng.uniform(0.0, 6.28), velocity=tuple(rng.normal(size=2)), spin=rng.normal())
    return clast.run(scene, until=2.0, frames=FRAMES, out=folder)


def pictures_a_second(page: Path, seconds: float, windows: int = 3) -> list[float]:
    """Pictures drawn a second while the page plays, in some windows."""
    found = []
    with Browser(find_browser(), *SIZE) as browser:
        browser.open(page.as_uri())
        browser.run("clast.play(true)")
        time.sleep(2.0)
        for _ in range(windows):
            drawn, began = browser.run("clast.measured.frames"), time.perf_counter()
            time.sleep(seconds)
            found.append((browser.run("clast.measured.frames") - drawn) / (time.perf_counter() - began))
    return found


def main() -> None:
    """Read the options, measure, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=5.0, help="of a window")
    options.add_argument("--pages", type=Path, help="a folder for runs and pages; those that are there are used again")
    given = options.parse_args()
    folder = given.pages or Path(tempfile.mkdtemp())
    for name, (grains, make) in CASES.items():
        page = folder / f"{grains}.html"
        if not page.exists():
            save_page(flying(folder / str(grains), grains, make), page)
        found = pictures_a_second(page, given.seconds)
        windows = f"windows {min(found):.1f} … {max(found):.1f}"
        print(f"{name}: {statistics.median(found):.1f} pictures a second ({windows})", flush=True)


if __name__ == "__main__":
    main()
