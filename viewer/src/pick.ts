// Which body lies under the pointer: outlines in the plane, triangles in space.

import { Quaternion, Ray, Vector2, Vector3, type Vector4 } from "three";
import type { Run } from "./run";
import type { Mesh } from "./shapes";

const corner = [new Vector3(), new Vector3(), new Vector3()];

function quaternionOf(state: Float32Array, k: number): Quaternion {
  return new Quaternion(state[8 * k + 4], state[8 * k + 5], state[8 * k + 6], state[8 * k + 7]);
}

/** The grain at a point of the plane; −1 if there is none. */
export function pickFlat(run: Run, state: Float32Array, rings: Vector2[][][], at: Vector3, period: number[]): number {
  for (let k = run.facts.bodies - 1; k >= 0; k--) {
    if (run.bodies.big[k] || state[8 * k + 3]) continue;
    const off = new Vector2(at.x - state[8 * k], at.y - state[8 * k + 1]);
    if (period[0] > 0) off.x -= period[0] * Math.round(off.x / period[0]);
    if (period[1] > 0) off.y -= period[1] * Math.round(off.y / period[1]);
    if (off.length() > run.bodies.reach[k]) continue;
    off.rotateAround(new Vector2(), -2 * Math.atan2(state[8 * k + 6], state[8 * k + 7]));
    if (isInside(off, rings[run.bodies.shape[k]][0])) return k;
  }
  return -1;
}

function isInside(point: Vector2, ring: Vector2[]): boolean {
  let inside = false;
  for (let k = 0, l = ring.length - 1; k < ring.length; l = k++) {
    const a = ring[k];
    const b = ring[l];
    if (a.y > point.y !== b.y > point.y && point.x < ((b.x - a.x) * (point.y - a.y)) / (b.y - a.y) + a.x) inside = !inside;
  }
  return inside;
}

/** The first grain along a ray that the clip plane leaves; −1 if there is none. */
export function pickSolid(run: Run, state: Float32Array, meshOf: (shape: number) => Mesh, ray: Ray, clip: Vector4 | null): number {
  let nearest = Infinity;
  let found = -1;
  const centre = new Vector3();
  for (let k = 0; k < run.facts.bodies; k++) {
    if (run.bodies.big[k] || state[8 * k + 3]) continue;
    centre.set(state[8 * k], state[8 * k + 1], state[8 * k + 2]);
    if (ray.distanceSqToPoint(centre) > run.bodies.reach[k] ** 2) continue;
    const distance = along(ray, centre, quaternionOf(state, k), meshOf(run.bodies.shape[k]), clip);
    if (distance < nearest) [nearest, found] = [distance, k];
  }
  return found;
}

/** Distance along the ray to the surface of a body; infinite if it passes. */
function along(ray: Ray, centre: Vector3, turn: Quaternion, mesh: Mesh, clip: Vector4 | null): number {
  const back = turn.clone().invert();
  const local = new Ray(ray.origin.clone().sub(centre).applyQuaternion(back), ray.direction.clone().applyQuaternion(back));
  const hit = new Vector3();
  let nearest = Infinity;
  for (let t = 0; t < mesh.triangles.length; t += 3) {
    corner.forEach((each, c) => each.fromArray(mesh.points, 3 * mesh.triangles[t + c]));
    const [a, b, c] = corner;
    if (!local.intersectTriangle(a, b, c, false, hit)) continue;
    const distance = hit.distanceTo(local.origin);
    if (distance >= nearest) continue;
    const world = hit.clone().applyQuaternion(turn).add(centre);
    if (clip && clip.x * world.x + clip.y * world.y + clip.z * world.z > clip.w) continue;
    nearest = distance;
  }
  return nearest;
}

