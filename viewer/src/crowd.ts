// Bodies as a few draw calls: all are put together into one mesh whose corners know their body, unless that would take too much
// memory; then bodies of one shape are instances of it. (Without a graphics card an instance costs as much as a draw call.)

import { BufferAttribute, BufferGeometry, Group, InstancedBufferAttribute, InstancedBufferGeometry, LineSegments, Mesh, type ShaderMaterial, Vector3 } from "three";
import type { Shared } from "./materials";
import type { Mesh as ShapeMesh } from "./shapes";

const MUCH = 1_500_000; // points of all bodies of a shape, from which on they are instances

/** Images of the scene that are drawn: itself, and its neighbours across periodic sides of the plane. */
export function imagesOf(period: number[], space: boolean): Vector3[] {
  const sides = period.map((each) => (each > 0 && !space ? [0, -1, 1] : [0]));
  return sides[0].flatMap((x) => sides[1].map((y) => new Vector3(x, y, 0)));
}

function bodiesByShape(chosen: number[], shape: Uint32Array): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const k of chosen) {
    const list = found.get(shape[k]);
    if (list) list.push(k);
    else found.set(shape[k], [k]);
  }
  return found;
}

function geometryOf(mesh: ShapeMesh, into: BufferGeometry): void {
  into.setAttribute("position", new BufferAttribute(mesh.points, 3));
  into.setAttribute("side", new BufferAttribute(mesh.side, 3));
  into.setIndex(new BufferAttribute(mesh.triangles, 1));
}

/** Geometries that hold all chosen bodies. */
function geometries(chosen: number[], shape: Uint32Array, meshOf: (k: number) => ShapeMesh): BufferGeometry[] {
  const made: BufferGeometry[] = [];
  const few: { body: number; mesh: ShapeMesh }[] = [];
  for (const [k, members] of bodiesByShape(chosen, shape)) {
    const mesh = meshOf(k);
    if (members.length * (mesh.points.length / 3) < MUCH) {
      for (const body of members) few.push({ body, mesh });
      continue;
    }
    const geometry = new InstancedBufferGeometry();
    geometryOf(mesh, geometry);
    geometry.setAttribute("body", new InstancedBufferAttribute(Float32Array.from(members), 1));
    geometry.instanceCount = members.length;
    made.push(geometry);
  }
  if (few.length) made.push(together(few));
  return made;
}

function together(few: { body: number; mesh: ShapeMesh }[]): BufferGeometry {
  const points = few.reduce((sum, { mesh }) => sum + mesh.points.length, 0);
  const corners = few.reduce((sum, { mesh }) => sum + mesh.triangles.length, 0);
  const all: ShapeMesh = { points: new Float32Array(points), side: new Float32Array(points), triangles: new Uint32Array(corners) };
  const bodies = new Float32Array(points / 3);
  let at = 0;
  let corner = 0;
  for (const { body, mesh } of few) {
    all.points.set(mesh.points, at);
    all.side.set(mesh.side, at);
    bodies.fill(body, at / 3, (at + mesh.points.length) / 3);
    for (const each of mesh.triangles) all.triangles[corner++] = each + at / 3;
    at += mesh.points.length;
  }
  const geometry = new BufferGeometry();
  geometryOf(all, geometry);
  geometry.setAttribute("body", new BufferAttribute(bodies, 1));
  return geometry;
}

/** Draws one image of the scene: the shift is set just before. */
function shifted<Kind extends Mesh | LineSegments>(object: Kind, shared: Shared, image: Vector3, material: ShaderMaterial): Kind {
  object.frustumCulled = false;
  object.onBeforeRender = () => {
    shared.images.value.copy(image);
    material.uniformsNeedUpdate = true;
  };
  return object;
}

/** Filled bodies. */
export function crowd(
  chosen: number[], shape: Uint32Array, meshOf: (k: number) => ShapeMesh, material: ShaderMaterial, shared: Shared, images: Vector3[],
): Group {
  const group = new Group();
  for (const geometry of geometries(chosen, shape, meshOf)) {
    for (const image of images) group.add(shifted(new Mesh(geometry, material), shared, image, material));
  }
  return group;
}

/** Bodies as lines. */
export function lineCrowd(
  chosen: number[], shape: Uint32Array, linesOf: (k: number) => Float32Array, material: ShaderMaterial, shared: Shared, images: Vector3[],
): Group {
  const group = new Group();
  const lines = chosen.map((body) => ({ body, ends: linesOf(shape[body]) }));
  const points = new Float32Array(lines.reduce((sum, each) => sum + each.ends.length, 0));
  const bodies = new Float32Array(points.length / 3);
  let at = 0;
  for (const { body, ends } of lines) {
    points.set(ends, at);
    bodies.fill(body, at / 3, (at + ends.length) / 3);
    at += ends.length;
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(points, 3));
  geometry.setAttribute("body", new BufferAttribute(bodies, 1));
  for (const image of images) group.add(shifted(new LineSegments(geometry, material), shared, image, material));
  return group;
}
