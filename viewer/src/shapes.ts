// Geometry of the shapes: filled outlines with a border in the plane, surfaces in space.

import { ShapeUtils, Vector2 } from "three";
import type { Block } from "./blocks";

/** Vertices of a shape in its body frame. `side` is a normal in space; in the plane its x is 0 on the border and 1 inside. */
export interface Mesh {
  points: Float32Array;
  side: Float32Array;
  triangles: Uint32Array;
}

export const LEVELS = ["fine", "coarse", "tiny"] as const;
export type Level = (typeof LEVELS)[number];

const BORDER = 0.07; // of the reach: width of the border of a grain in the plane
const COARSE = 0.025; // of the reach: by how much an outline may be off where grains are small on the screen
const TURNS_SEEN = 0.62; // of the radius: length of the mark that shows the turn of a disk

/** Rings of every shape: the outline, then its holes. */
export function ringsOf(table: Block, shapes: number): Vector2[][][] {
  const points = table.arrays.get("ring") as Float32Array;
  const first = table.arrays.get("ring_first") as Uint32Array;
  const owner = table.arrays.get("ring_shape") as Uint32Array;
  const rings: Vector2[][][] = Array.from({ length: shapes }, () => []);
  for (let r = 0; r < owner.length; r++) {
    const ring: Vector2[] = [];
    for (let k = first[r]; k < first[r + 1]; k++) ring.push(new Vector2(points[2 * k], points[2 * k + 1]));
    rings[owner[r]].push(ring);
  }
  return rings;
}

/** The outline with fewer points, none farther off than `tolerance`. */
export function simpler(ring: Vector2[], tolerance: number): Vector2[] {
  if (ring.length < 12) return ring;
  let far = 0;
  ring.forEach((each, k) => {
    if (each.distanceTo(ring[0]) > ring[far].distanceTo(ring[0])) far = k;
  });
  const closed = [...ring, ring[0]];
  const keep = new Set([0, far]);
  const split = (from: number, to: number): void => {
    const a = closed[from];
    const along = closed[to].clone().sub(a);
    const size = along.length() || 1;
    let most = tolerance;
    let at = -1;
    for (let k = from + 1; k < to; k++) {
      const off = closed[k].clone().sub(a);
      const distance = Math.abs(off.cross(along)) / size;
      if (distance > most) [most, at] = [distance, k];
    }
    if (at < 0) return;
    keep.add(at);
    split(from, at);
    split(at, to);
  };
  split(0, far);
  split(far, ring.length);
  return [...keep].sort((a, b) => a - b).map((k) => ring[k]);
}

/** A filled outline whose border is `width` wide. */
function flatMesh(rings: Vector2[][], reach: number, width: number): Mesh {
  const points: number[] = [];
  const side: number[] = [];
  const triangles: number[] = [];
  const inner = rings.map((ring) => inset(ring, width));
  rings.forEach((ring, r) => {
    const begin = points.length / 3;
    ring.forEach((each, k) => {
      points.push(each.x, each.y, 0, inner[r][k].x, inner[r][k].y, 0);
      side.push(0, 0, 0, 0, 0, 0);
    });
    for (let k = 0; k < ring.length; k++) {
      const a = begin + 2 * k;
      const b = begin + 2 * ((k + 1) % ring.length);
      triangles.push(a, b, b + 1, a, b + 1, a + 1);
    }
  });
  const begin = points.length / 3;
  for (const ring of inner) for (const each of ring) {
    points.push(each.x, each.y, 0);
    side.push(1, 0, 0);
  }
  for (const [a, b, c] of ShapeUtils.triangulateShape(inner[0], inner.slice(1))) triangles.push(begin + a, begin + b, begin + c);
  if (isRound(rings, reach)) {
    const at = points.length / 3;
    const half = 0.5 * width;
    for (const [x, y] of [[0, -half], [TURNS_SEEN * reach, -half], [TURNS_SEEN * reach, half], [0, half]]) {
      points.push(x, y, 0);
      side.push(0.35, 0, 0);
    }
    triangles.push(at, at + 1, at + 2, at, at + 2, at + 3);
  }
  return { points: new Float32Array(points), side: new Float32Array(side), triangles: new Uint32Array(triangles) };
}

function isRound(rings: Vector2[][], reach: number): boolean {
  return rings.length === 1 && rings[0].length > 8 && rings[0].every((each) => each.length() > 0.97 * reach);
}

/** The outline moved inwards by `width`. */
function inset(ring: Vector2[], width: number): Vector2[] {
  if (width === 0) return ring;
  let area = 0;
  ring.forEach((each, k) => (area += each.cross(ring[(k + 1) % ring.length])));
  const inwards = area > 0 ? 1 : -1; // to the left of one that goes counter-clockwise
  return ring.map((here, k) => {
    const before = ring[(k + ring.length - 1) % ring.length];
    const after = ring[(k + 1) % ring.length];
    const one = here.clone().sub(before).normalize();
    const two = after.clone().sub(here).normalize();
    const across = new Vector2(-(one.y + two.y), one.x + two.x);
    const size = across.length();
    if (size < 0.2) return here.clone();
    const stretch = Math.min(2 / size, 1.6); // a mitred corner, not too sharp
    return here.clone().addScaledVector(across.divideScalar(size), inwards * width * stretch);
  });
}

/** The same outline for grains that are large on the screen, small, and tiny: there without border, a little smaller instead. */
export function flatMeshes(rings: Vector2[][], reach: number): Record<Level, Mesh> {
  const width = BORDER * reach;
  const few = rings.map((ring) => simpler(ring, COARSE * reach));
  const tiny = rings.map((ring) => simpler(inset(ring, 0.7 * width), 2.4 * COARSE * reach));
  return { fine: flatMesh(rings, reach, width), coarse: flatMesh(few, reach, width), tiny: filled(tiny) };
}

/** An outline without border. */
export function filled(rings: Vector2[][]): Mesh {
  const points = rings.flat().flatMap((each) => [each.x, each.y, 0]);
  const triangles = ShapeUtils.triangulateShape(rings[0], rings.slice(1)).flat();
  const side = new Float32Array(points.length).fill(1);
  return { points: new Float32Array(points), side, triangles: new Uint32Array(triangles) };
}

/** The surface of shape `k` in space. */
export function solidMesh(table: Block, k: number): Mesh {
  const part = (name: string, width: number) => {
    const first = table.arrays.get(`${name}_first`) as Uint32Array;
    return table.arrays.get(name)!.subarray(width * first[k], width * first[k + 1]);
  };
  return {
    points: part("point", 3) as Float32Array,
    side: Float32Array.from(part("normal", 3) as Int8Array, (each) => each / 127),
    triangles: part("triangle", 3) as Uint32Array,
  };
}

/** Lines (m × 6 numbers) along the edges of shape `k` in space, or around its rings in the plane. */
export function linesOf(table: Block, k: number, rings: Vector2[][] | null): Float32Array {
  if (!rings) {
    const first = table.arrays.get("ridge_first") as Uint32Array;
    return (table.arrays.get("ridge") as Float32Array).subarray(6 * first[k], 6 * first[k + 1]);
  }
  const lines: number[] = [];
  for (const ring of rings) {
    ring.forEach((each, n) => {
      const next = ring[(n + 1) % ring.length];
      lines.push(each.x, each.y, 0, next.x, next.y, 0);
    });
  }
  return new Float32Array(lines);
}
