"""The executor of a Dask cluster: rows go to the scheduler as tasks, and home hears how far they are and what came of them.

A worker that is lost costs its rows what they have done since their checkpoints: Dask gives them to another, where they go on.
A scheduler that is lost loses all tasks; home waits until it is there again, and hands in what has not ended.
"""

from __future__ import annotations

import queue
import time
import tomllib
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import clast
from clast.backend.processes import GRACE_SECONDS, LOOK_SECONDS, Answer
from clast.dynamics.gpu.devices import GPU
from clast.errors import ClastError, StoreError
from clast.output.store.atomic import write_text
from clast.output.store.lock import is_written
from clast.sweeps.dask.files import Travel
from clast.sweeps.dask.row import HOME_MARK, TOPIC, leave, run_row, stop_rows
from clast.sweeps.local import Order
from clast.sweeps.task import SCENE_FILE

FRUITLESS = 5  # times a row may lose its worker without having come further
ANSWER_SECONDS = 30.0  # for the result of an ended task to come home
GPU_RESOURCE = {"GPU": 1}


@dataclass
class Sent:
    """What home knows of a row that it has handed in.

    worker   where it is now, as far as it has reported
    share    how much of it is done
    best     the most it had done when a worker was lost, and `lost`: how often that was no more than before
    """

    piece: dict[str, Any]
    worker: str = ""
    share: float = 0.0
    best: float = -1.0
    lost: int = 0


@dataclass
class DaskRows:
    """Workers of a Dask cluster.

    connect   a client that is connected: the one that is there, or another when its scheduler was lost; it waits for one
    """

    client: Any
    connect: Callable[[Any], Any]

    def share_out(self, pieces: Sequence[Mapping[str, Any]], order: Order) -> None:
        """See `Executor`; all rows are handed in at once if no number of jobs is given, and the scheduler keeps workers busy."""
        if not pieces:
            return
        folder = Path(pieces[0]["folder"])
        sharing = Sharing(self, pieces, order.hear, order.say)
        write_text(folder / HOME_MARK, sharing.sweep)
        try:
            sharing.announce()
            while sharing.waiting or sharing.futures:
                sharing.keep_connected()
                sharing.hand_in(order.jobs or len(pieces))
                sharing.listen(LOOK_SECONDS)
                sharing.collect()
                order.look()
        except BaseException:
            sharing.stop(order.look)
            raise
        finally:
            sharing.travel.close()
            with suppress(Exception):  # without its cluster there is nothing to leave
                sharing.client.unsubscribe_topic(TOPIC)
                sharing.client.run(leave, sharing.sweep, on_error="ignore")
            (folder / HOME_MARK).unlink(missing_ok=True)


class Sharing:
    """Some rows, shared out once.

    sweep     a name of their own
    waiting   rows to be handed in, by number; `futures` those that are
    """

    def __init__(
        self,
        place: DaskRows,
        pieces: Sequence[Mapping[str, Any]],
        hear: Callable[[int, Answer], None],
        say: Callable[[str], None],
    ) -> None:
        self.place, self.client, self.hear, self.say = place, place.client, hear, say
        self.sweep = uuid.uuid4().hex
        self.sent = [Sent(self.plain(number, piece)) for number, piece in enumerate(pieces)]
        self.waiting = deque(range(len(pieces)))
        self.futures: dict[int, Any] = {}
        self.events: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        self.travel = Travel(self.client, self.sweep)

    def plain(self, number: int, piece: Mapping[str, Any]) -> dict[str, Any]:
        """A piece as it goes to a worker: numbers and texts, and no path that depends on where home is."""
        folder, task = Path(piece["folder"]).resolve(), dict(piece["task"])
        scene = str(task["what"]).lower().endswith(SCENE_FILE)
        if scene:
            task["what"] = str(Path(task["what"]).resolve())
        return {
            **piece, "task": task, "folder": str(folder), "sweep": self.sweep, "number": number, "scene": scene,
            "clast": clast.__version__, "held": is_written(folder / task["name"]),
        }  # fmt: skip

    def announce(self) -> None:
        """Listen to rows, and show where the cluster can be watched."""
        self.client.subscribe_topic(TOPIC, self.note)
        about = self.client.scheduler_info(n_workers=-1)
        workers = about["workers"].values()
        slots = sum(each["nthreads"] for each in workers)
        link = self.client.dashboard_link if "dashboard" in about["services"] else ""
        shown = "no worker is there yet: rows wait for one"
        if workers:
            take = "workers take" if len(workers) > 1 else "worker takes"
            shown = f"{len(workers)} {take} {slots} row{'s' if slots > 1 else ''} at a time"
        self.say(shown + (f"; dashboard: {link}" if link else ""))
        if (
            workers
            and any(needs_gpu(each.piece) for each in self.sent)
            and not any("GPU" in each["resources"] for each in workers)
        ):
            self.say("no worker there offers a GPU: start one with dask worker ADDRESS --nthreads 1 --resources GPU=1")

    def note(self, event: Any) -> None:
        """Called by the client's own thread."""
        with suppress(Exception):
            message = event[1]
            if message["sweep"] == self.sweep:
                self.events.put(message)

    def keep_connected(self) -> None:
        """Wait for a scheduler that was lost, and hand in anew what it had."""
        if self.client.status == "running":
            return
        self.say("the scheduler is lost; rows that were running are saved. Waiting until it is there again")
        self.travel.close()
        self.client = self.place.client = self.travel.client = self.place.connect(self.client)
        self.client.subscribe_topic(TOPIC, self.note)
        self.waiting.extendleft(sorted(self.futures, reverse=True))
        self.futures.clear()
        self.say("the scheduler is there again")

    def hand_in(self, most: int) -> None:
        """Hand in rows, so that `most` of them are with the scheduler."""
        while self.waiting and len(self.futures) < most:
            number = self.waiting.popleft()
            piece = self.sent[number].piece
            future = self.client.submit(
                run_row, piece, key=f"{piece['task']['name']}-{uuid.uuid4().hex}", pure=False,
                **({"resources": GPU_RESOURCE} if needs_gpu(piece) else {}),
            )  # fmt: skip
            future.add_done_callback(lambda _: self.events.put(None))
            self.futures[number] = future

    def listen(self, seconds: float) -> None:
        """Take in what rows have reported; wait for the first of it."""
        with suppress(queue.Empty):
            event = self.events.get(timeout=seconds)
            while True:
                if event is not None and event["number"] in self.futures:
                    self.heard(event["number"], event)
                event = self.events.get_nowait()

    def heard(self, number: int, event: Answer) -> None:
        """A row has reported something."""
        sent = self.sent[number]
        sent.worker = event["worker"]
        if "share" in event:
            sent.share = max(event["share"], sent.share)
            self.hear(number, {"share": event["share"]})
        elif "needs" in event:
            self.send(number, event["worker"])
        elif "saved" in event:
            with suppress(Exception):  # the next time, or at the end
                self.travel.bring(number, event["worker"], self.run_of(number))

    def run_of(self, number: int) -> Path:
        """The folder of a row."""
        piece = self.sent[number].piece
        return Path(piece["folder"]) / piece["task"]["name"]

    def send(self, number: int, worker: str) -> None:
        """Give a worker the files of a row; whatever goes wrong on the way, Dask or the next attempt gives it to another."""
        piece = self.sent[number].piece
        scene = Path(piece["task"]["what"]).parent if piece["scene"] else None
        with suppress(Exception):
            try:
                self.travel.send(number, worker, self.run_of(number), scene)
            except (ClastError, OSError) as error:
                state = "elsewhere" if is_written(self.run_of(number)) else "failed"
                self.travel.refuse(number, worker, {"state": state, "message": str(error), "seconds": 0.0, "end": True})

    def collect(self) -> None:
        """Take in the answers of tasks that have ended."""
        for number, future in list(self.futures.items()):
            if future.status == "pending" or self.client.status != "running":
                continue
            answer = self.answer_of(number, future)
            if answer is None:
                continue
            del self.futures[number]
            if answer.get("state") == "stopped" or answer.get("signalled") or answer.get("lost"):
                self.again(number, answer)
            else:
                self.hear(number, answer)

    def answer_of(self, number: int, future: Any) -> Answer | None:
        """The last answer of a task, its files brought home; None if it is to be looked at again."""
        if future.status in ("cancelled", "lost"):
            return {"lost": "its task was cancelled"}
        try:
            answer: Answer = dict(future.result(timeout=ANSWER_SECONDS))
        except TimeoutError:
            return None
        except Exception as error:
            if type(error).__name__ == "KilledWorker":
                return {"lost": "its workers were killed, as happens when memory runs out"}
            message = " ".join(f"a worker cannot run it ({type(error).__name__}: {error})".split())
            return {"state": "failed", "message": message, "seconds": 0.0, "end": True}
        if "away" in answer:
            try:
                self.travel.bring(number, answer["away"], self.run_of(number))
                self.travel.forget(number, answer["away"])
            except (StoreError, OSError) as error:
                return {"lost": f"its files did not come home ({error})"}
            except Exception as error:
                return {"lost": f"its worker was lost with its files ({type(error).__name__})"}
            finally:
                self.travel.release(number)
        return answer

    def again(self, number: int, answer: Answer) -> None:
        """Hand in a row again that was interrupted, unless it has not come further several times."""
        sent = self.sent[number]
        self.travel.release(number)
        sent.lost = 0 if sent.share > sent.best else sent.lost + 1
        sent.best = max(sent.best, sent.share)
        if sent.lost >= FRUITLESS:
            why = answer.get("lost") or answer.get("died") or answer.get("message")
            self.hear(number, {"end": True, "died": f"{why}, {FRUITLESS} times without coming further"})
        else:
            self.waiting.append(number)

    def stop(self, look: Callable[[], None]) -> None:
        """Take back what has not begun, and have saved what has. A second interruption leaves that to the workers."""
        self.waiting.clear()
        with suppress(Exception):
            self.client.cancel([future for number, future in self.futures.items() if not self.sent[number].worker])
            self.futures = {number: future for number, future in self.futures.items() if self.sent[number].worker}
            self.client.run(stop_rows, self.sweep, on_error="ignore")
            until = time.monotonic() + GRACE_SECONDS
            while self.futures and time.monotonic() < until and self.client.status == "running":
                self.listen(LOOK_SECONDS)
                for number, future in list(self.futures.items()):
                    if future.status != "pending" and self.answer_of(number, future) is not None:
                        del self.futures[number]
                look()
            self.client.cancel(list(self.futures.values()))


def needs_gpu(piece: Mapping[str, Any]) -> bool:
    """Whether a row runs on a GPU, by its sweep or by its scene file."""
    if piece["device"] is not None or not piece["scene"]:
        return bool(piece["device"] == GPU)
    return bool(device_in(piece["task"]["what"]) == GPU)


@cache
def device_in(path: str) -> Any:
    """The device that a scene file names, if it does."""
    with Path(path).open("rb") as file:
        return tomllib.load(file).get("run", {}).get("device")
