// What grains can be coloured by, and the colours.

import type { Frame, Run } from "./run";

export type Colour = [number, number, number];

// from slate over green to yellow: like viridis, but its beginning is light enough for a dark ground; straight between these places
const SHADES: Colour[] = [
  [92, 86, 160], [80, 100, 172], [62, 120, 172], [48, 140, 166], [36, 158, 152], [46, 178, 133], [98, 200, 100], [172, 220, 54], [253, 231, 37],
];
const CATEGORIES: Colour[] = [
  [78, 121, 167], [242, 142, 43], [118, 183, 178], [225, 87, 89], [89, 161, 79], [237, 201, 72], [176, 122, 161], [255, 157, 167],
  [156, 117, 95], [160, 184, 216],
];
const PLAIN: Colour = [92, 143, 196];

export interface Quantity {
  key: string;
  label: string;
  unit: string;
  kind: "scale" | "signed" | "turn" | "names" | "none";
}

export const QUANTITIES: Quantity[] = [
  { key: "speed", label: "speed", unit: "length/time", kind: "scale" },
  { key: "spin", label: "spin", unit: "rad/time", kind: "signed" },
  { key: "pressure", label: "pressure", unit: "force/length", kind: "scale" },
  { key: "neighbours", label: "neighbours", unit: "", kind: "scale" },
  { key: "displacement", label: "displacement", unit: "length", kind: "scale" },
  { key: "orientation", label: "orientation", unit: "", kind: "turn" },
  { key: "shape", label: "shape", unit: "", kind: "names" },
  { key: "name", label: "name", unit: "", kind: "names" },
  { key: "density", label: "material (density)", unit: "", kind: "names" },
  { key: "none", label: "one colour", unit: "", kind: "none" },
];

export function shade(share: number): Colour {
  const x = Math.min(Math.max(share, 0), 1) * (SHADES.length - 1);
  const k = Math.min(Math.floor(x), SHADES.length - 2);
  const s = x - k;
  return [0, 1, 2].map((c) => SHADES[k][c] + s * (SHADES[k + 1][c] - SHADES[k][c])) as Colour;
}

/** Blue, grey, red: turning clockwise, not at all, counter-clockwise. */
export function signedShade(share: number): Colour {
  const x = Math.min(Math.max(share, -1), 1);
  const [from, to]: [Colour, Colour] = x < 0 ? [[214, 214, 218], [43, 102, 190]] : [[214, 214, 218], [196, 48, 43]];
  const s = Math.abs(x) ** 0.7;
  return [0, 1, 2].map((c) => from[c] + s * (to[c] - from[c])) as Colour;
}

/** A circle of colours for turns, 0 … 1. */
export function turnShade(share: number): Colour {
  const angle = 2 * Math.PI * share;
  return [0, 1, 2].map((c) => 148 + 88 * Math.cos(angle - (2 * Math.PI * c) / 3)) as Colour;
}

export function category(k: number): Colour {
  return CATEGORIES[k % CATEGORIES.length];
}

const TABLE = 256;

function tableOf(at: (share: number) => Colour, low: number): Uint8Array {
  const table = new Uint8Array(3 * TABLE);
  for (let k = 0; k < TABLE; k++) table.set(at(low + ((1 - low) * k) / (TABLE - 1)).map(Math.round), 3 * k);
  return table;
}

const TABLES = { scale: tableOf(shade, 0), signed: tableOf(signedShade, -1), turn: tableOf(turnShade, 0) };

/** Colours of all bodies in a frame, and the scale they are on. */
export class Tint {
  readonly classes: { of: Uint32Array; labels: string[] } | null;
  readonly top: number;
  private neighbours: Float32Array | null = null;

  constructor(
    private run: Run,
    readonly quantity: Quantity,
  ) {
    this.classes = quantity.kind === "names" ? classesOf(run, quantity.key) : null;
    this.top = quantity.key === "neighbours" ? (run.facts.space ? 12 : 6) : run.facts.scales[quantity.key] || 1;
  }

  /** Values (n,) of a scale in a frame. */
  values(frame: Frame, key = this.quantity.key): Float32Array | null {
    const n = this.run.facts.bodies;
    switch (key) {
      case "speed":
        return frame.speed;
      case "spin":
        return frame.spin;
      case "pressure":
        return frame.pressure;
      case "neighbours":
        return this.countNeighbours(frame);
      case "displacement": {
        const start = this.run.start!;
        const made = new Float32Array(n);
        for (let axis = 0; axis < this.run.axes; axis++) {
          for (let k = 0; k < n; k++) made[k] += (frame.positions[axis * n + k] - start.positions[axis * n + k]) ** 2;
        }
        return made.map(Math.sqrt);
      }
      default:
        return null;
    }
  }

  private countNeighbours(frame: Frame): Float32Array {
    const found = (this.neighbours ??= new Float32Array(this.run.facts.bodies));
    found.fill(0);
    const table = frame.contacts;
    for (let k = 0; table && k < table.count; k++) {
      found[table.first[k]] += 1;
      found[table.first[k] + table.second[k]] += 1;
    }
    return found;
  }

  /** Bytes red, green, blue, – of every body. */
  paint(frame: Frame, into: Uint8Array, wall: Colour): void {
    const n = this.run.facts.bodies;
    const big = this.run.bodies.big;
    const kind = this.quantity.kind;
    const values = kind === "scale" || kind === "signed" ? this.values(frame) : null;
    const table = kind === "signed" && !this.run.facts.space ? TABLES.signed : kind === "turn" ? TABLES.turn : TABLES.scale;
    for (let k = 0; k < n; k++) {
      const at = 4 * k;
      let colour: ArrayLike<number> = PLAIN;
      let from = 0;
      if (big[k]) colour = wall;
      else if (values) {
        colour = table;
        const share = table === TABLES.signed ? 0.5 + (0.5 * values[k]) / this.top : Math.abs(values[k]) / this.top;
        from = 3 * Math.max(0, Math.min(TABLE - 1, Math.round(share * (TABLE - 1))));
      } else if (kind === "turn") {
        if (this.run.facts.space) colour = directionOf(frame.turns, n, k);
        else {
          colour = table;
          const share = frame.turns[k] / (2 * Math.PI);
          from = 3 * Math.floor((share - Math.floor(share)) * (TABLE - 1));
        }
      } else if (this.classes) colour = category(this.classes.of[k]);
      into[at] = colour[from];
      into[at + 1] = colour[from + 1];
      into[at + 2] = colour[from + 2];
      into[at + 3] = 255;
    }
  }
}

/** A colour for the direction of a grain's first axis: red along x, green along y, blue along z. */
function directionOf(turns: Float32Array, n: number, k: number): Colour {
  const w = turns[k];
  const x = turns[n + k];
  const y = turns[2 * n + k];
  const z = turns[3 * n + k];
  const axis = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)];
  return axis.map((each) => 60 + 180 * Math.abs(each)) as Colour;
}

/** Classes of bodies by shape, name or density, and what they are called. */
function classesOf(run: Run, key: string): { of: Uint32Array; labels: string[] } {
  const { shape, name, mass, size, big } = run.bodies;
  if (key === "name") {
    const used = new Map<number, number>();
    const labels: string[] = [];
    const of = name.map((each, k) => {
      if (big[k]) return 0;
      if (!used.has(each)) {
        used.set(each, labels.length);
        labels.push(run.facts.names[each] || "no name");
      }
      return used.get(each)!;
    });
    return { of, labels };
  }
  const text = (k: number): string =>
    key === "shape" ? run.facts.shapes[shape[k]] || `shape ${shape[k]}` : size[k] > 0 ? (mass[k] / size[k]).toPrecision(3) : "–";
  const found = new Map<string, number>();
  for (let k = 0; k < shape.length; k++) if (!big[k] && !found.has(text(k))) found.set(text(k), found.size);
  return { of: Uint32Array.from(shape, (_, k) => found.get(text(k)) ?? 0), labels: [...found.keys()] };
}

export function css(colour: ArrayLike<number>): string {
  return `rgb(${Math.round(colour[0])} ${Math.round(colour[1])} ${Math.round(colour[2])})`;
}
