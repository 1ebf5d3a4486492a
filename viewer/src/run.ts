// A run as the page holds it: bodies, frames that were fetched, and the state between two of them.

import type { Block, Numbers } from "./blocks";
import type { Facts, Source } from "./source";

const KEPT = 400e6; // bytes of unpacked blocks

/** One frame: views into the arrays of its block. Vectors come component by component. */
export interface Frame {
  positions: Float32Array;
  turns: Float32Array;
  speed: Float32Array;
  spin: Float32Array;
  pressure: Float32Array | null;
  present: Uint8Array | null;
  period: number[];
  contacts: Contacts | null;
}

export interface Contacts {
  count: number;
  first: Float32Array;
  second: Float32Array; // minus first
  force: Float32Array;
  arm: Float32Array[];
}

export interface Bodies {
  shape: Uint32Array;
  big: Uint8Array;
  name: Uint32Array;
  mass: Float32Array;
  size: Float32Array;
  reach: Float32Array;
}

export class Run {
  bodies!: Bodies;
  table!: Block;
  start: Frame | null = null; // the first frame, from which displacements are counted
  private blocks = new Map<number, { count: number; block: Promise<Block>; ready: Block | null; used: number; bytes: number }>();
  private clock = 0;

  constructor(
    readonly source: Source,
    public facts: Facts,
  ) {}

  get count(): number {
    return this.facts.times.length;
  }
  get axes(): number {
    return this.facts.space ? 3 : 2;
  }

  async open(): Promise<void> {
    this.table = await this.source.bodies();
    const get = (name: string) => this.table.arrays.get(name)!;
    this.bodies = {
      shape: get("shape") as Uint32Array,
      big: get("big") as Uint8Array,
      name: get("name") as Uint32Array,
      mass: get("mass") as Float32Array,
      size: get("size") as Float32Array,
      reach: get("reach") as Float32Array,
    };
    if (this.count) this.start = await this.frame(0);
  }

  private countOf(number: number): number {
    return Math.min(this.facts.per_block, this.count - number * this.facts.per_block);
  }

  private entry(number: number) {
    const count = this.countOf(number);
    let entry = this.blocks.get(number);
    if (!entry || entry.count < count) {
      const made = { count, block: this.source.block(number, count), ready: null as Block | null, used: 0, bytes: 0 };
      made.block.then(
        (block) => {
          made.ready = block;
          for (const each of block.arrays.values()) made.bytes += each.byteLength;
          this.forget();
        },
        () => this.blocks.delete(number),
      );
      entry = made;
      this.blocks.set(number, entry);
    }
    entry.used = ++this.clock;
    return entry;
  }

  /** Blocks that were not used for longest make room. */
  private forget(): void {
    const ready = [...this.blocks].filter(([, each]) => each.ready).sort((a, b) => a[1].used - b[1].used);
    let total = ready.reduce((sum, [, each]) => sum + each.bytes, 0);
    for (const [number, each] of ready.slice(0, -3)) {
      if (total < KEPT) return;
      this.blocks.delete(number);
      total -= each.bytes;
    }
  }

  /** A frame if it is here; else it is fetched, and `then` is called when it has come. */
  now(index: number, then: () => void): Frame | null {
    const number = Math.floor(index / this.facts.per_block);
    const entry = this.entry(number);
    if (number + 1 < this.facts.blocks && index % this.facts.per_block > this.facts.per_block / 2) this.entry(number + 1);
    if (!entry.ready) {
      entry.block.then(then, () => {});
      return null;
    }
    return this.cut(entry.ready, index % this.facts.per_block);
  }

  async frame(index: number): Promise<Frame> {
    const block = await this.entry(Math.floor(index / this.facts.per_block)).block;
    return this.cut(block, index % this.facts.per_block);
  }

  private cut(block: Block, row: number): Frame {
    const n = this.facts.bodies;
    const part = (name: string, width: number): Numbers | null => {
      const whole = block.arrays.get(name);
      return whole ? whole.subarray(row * width, (row + 1) * width) : null;
    };
    const period = part("period", this.axes);
    return {
      positions: part("positions", this.axes * n) as Float32Array,
      turns: (this.facts.space ? part("orientations", 4 * n) : part("angles", n)) as Float32Array,
      speed: part("speed", n) as Float32Array,
      spin: part("spin", n) as Float32Array,
      pressure: part("pressure", n) as Float32Array | null,
      present: part("present", n) as Uint8Array | null,
      period: period ? Array.from(period) : this.facts.period,
      contacts: this.contacts(block, row),
    };
  }

  private contacts(block: Block, row: number): Contacts | null {
    const counts = block.arrays.get("contact_count");
    if (!counts) return null;
    let begin = 0;
    for (let k = 0; k < row; k++) begin += counts[k];
    const end = begin + counts[row];
    const get = (name: string) => block.arrays.get(name) as Float32Array;
    const all = get("contact_force").length;
    const arm = get("contact_arm");
    return {
      count: end - begin,
      first: get("contact_first").subarray(begin, end),
      second: get("contact_second").subarray(begin, end),
      force: get("contact_force").subarray(begin, end),
      arm: Array.from({ length: this.axes }, (_, k) => arm.subarray(k * all + begin, k * all + end)),
    };
  }

  /** Time at a place between frames. */
  time(at: number): number {
    const times = this.facts.times;
    if (!times.length) return 0;
    const k = Math.min(Math.floor(at), times.length - 1);
    return k + 1 < times.length ? times[k] + (at - k) * (times[k + 1] - times[k]) : times[k];
  }

  /** The place between frames at a time. */
  place(time: number): number {
    const times = this.facts.times;
    let low = 0;
    let high = times.length - 1;
    if (high < 1 || time <= times[0]) return 0;
    if (time >= times[high]) return high;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle;
      else high = middle;
    }
    return low + (time - times[low]) / (times[high] - times[low]);
  }
}

/** Places and turns of all bodies between two frames, relative to a centre: 8 numbers a body (x y z –, quaternion x y z w). */
export function stateBetween(run: Run, a: Frame, b: Frame | null, share: number, centre: number[], into: Float32Array): void {
  const n = run.facts.bodies;
  const other = b && share > 0 ? b : a;
  const s = b && share > 0 ? share : 0;
  const gone = a.present;
  for (let k = 0; k < n; k++) {
    const at = 8 * k;
    for (let axis = 0; axis < run.axes; axis++) {
      const p = a.positions[axis * n + k];
      let place = p + s * (other.positions[axis * n + k] - p);
      const period = a.period[axis];
      if (period > 0 && !run.bodies.big[k]) place -= Math.floor(place / period) * period;
      into[at + axis] = place - centre[axis];
    }
    if (run.axes === 2) {
      const angle = a.turns[k] + s * (other.turns[k] - a.turns[k]);
      into[at + 6] = Math.sin(0.5 * angle);
      into[at + 7] = Math.cos(0.5 * angle);
    } else {
      turnBetween(a.turns, other.turns, n, k, s, into, at + 4);
    }
    into[at + 3] = gone && !gone[k] ? 1 : 0; // out of the run: not drawn
  }
}

/** The turn between two (w x y z by component), normalised, as x y z w. */
function turnBetween(a: Float32Array, b: Float32Array, n: number, k: number, s: number, into: Float32Array, at: number): void {
  let dot = 0;
  for (let c = 0; c < 4; c++) dot += a[c * n + k] * b[c * n + k];
  const sign = dot < 0 ? -1 : 1;
  let w = a[k] + s * (sign * b[k] - a[k]);
  let x = a[n + k] + s * (sign * b[n + k] - a[n + k]);
  let y = a[2 * n + k] + s * (sign * b[2 * n + k] - a[2 * n + k]);
  let z = a[3 * n + k] + s * (sign * b[3 * n + k] - a[3 * n + k]);
  const size = Math.sqrt(w * w + x * x + y * y + z * z) || 1;
  w /= size;
  x /= size;
  y /= size;
  z /= size;
  into[at] = x;
  into[at + 1] = y;
  into[at + 2] = z;
  into[at + 3] = w;
}
