// The picture: renderer, camera and everything that is drawn, in a world whose origin is the middle of what is looked at.

import { Box3, Color, type DataTexture, Group, OrthographicCamera, PerspectiveCamera, Raycaster, Scene, type ShaderMaterial, Vector2, Vector3, Vector4, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { MOUSE, TOUCH } from "three";
import type { Tint } from "./colours";
import { crowd, imagesOf, lineCrowd } from "./crowd";
import { Forces } from "./forces";
import { forceMaterial, lineMaterial, type Shared, solidMaterial, texture } from "./materials";
import { pickFlat, pickSolid } from "./pick";
import { type Frame, type Run, stateBetween } from "./run";
import { filled, flatMeshes, type Level, LEVELS, linesOf, type Mesh as ShapeMesh, ringsOf, solidMesh } from "./shapes";

export type Walls = "solid" | "translucent" | "hollow" | "hidden";
export type Grains = "solid" | "faint" | "hidden";
export type Side = "fit" | "front" | "side" | "top";

export interface Look {
  walls: Walls;
  grains: Grains;
  chains: boolean;
  points: boolean;
  clip: "none" | "x" | "y" | "z";
  clipAt: number; // share of the box
  dark: boolean;
}

const FIELD = 28; // degrees
const HASTY = 0.7; // pixels of the picture per pixel of the page while it is hasty
const BELOW = { coarse: 40, tiny: 15 }; // pixels: grains of less reach are drawn with fewer corners
const PICKED = [255, 64, 129];
const FORCE = new Vector3(0.86, 0.13, 0.2);
const POINT = new Vector3(0.98, 0.72, 0.15);

/** Whether the browser draws without a graphics card. */
function drawsInSoftware(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  const names = context?.getExtension("WEBGL_debug_renderer_info");
  const name = context && names ? String(context.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly camera: OrthographicCamera | PerspectiveCamera;
  readonly controls: OrbitControls;
  readonly state: Float32Array;
  readonly box: Box3;
  readonly centre: number[];
  picked = -1;
  readonly software: boolean; // no graphics card: edges are smoothed only while nothing moves
  hasty = false; // without a graphics card: fewer pixels, because pictures do not follow each other quickly enough
  private ratio = 0;
  private scene = new Scene();
  private shared: Shared;
  private tintBytes: Uint8Array;
  private materials: ShaderMaterial[] = [];
  private grain: ShaderMaterial;
  private wall: ShaderMaterial;
  private wallLine: ShaderMaterial;
  private grains: Partial<Record<Level, Group>> = {};
  private walls: Group;
  private wallLines: Group;
  private rings: Vector2[][][] | null;
  private meshes = new Map<number, Record<Level, ShapeMesh>>();
  private chains: Forces;
  private points: Forces;
  private shown: Frame | null = null;
  private up = new Vector3(0, 1, 0);

  constructor(
    canvas: HTMLCanvasElement,
    private run: Run,
    readonly look: Look,
  ) {
    const facts = run.facts;
    const space = facts.space;
    this.software = drawsInSoftware();
    this.renderer = new WebGLRenderer({ canvas, antialias: !this.software, powerPreference: "high-performance" });
    const [low, high] = facts.view.map((each) => [each[0], each[1], each[2] ?? 0]);
    this.centre = low.map((each, k) => 0.5 * (each + high[k]));
    this.box = new Box3(new Vector3(...low), new Vector3(...high)).translate(new Vector3(...this.centre).negate());
    const period = facts.period.map((each) => Math.max(each, 0));
    this.shared = {
      state: { value: texture(2 * facts.bodies, true) },
      tint: { value: texture(facts.bodies, false) },
      period: { value: new Vector3(period[0], period[1], period[2] ?? 0) },
      origin: { value: new Vector3(...this.centre).negate() },
      images: { value: new Vector3() },
      clip: { value: new Vector4(1, 0, 0, 1e30) },
      ink: { value: 0.5 },
      plane: { value: new Vector3(...period.map((each) => (each > 0 && !space ? 1 : 0)), 0) },
    };
    this.state = (this.shared.state.value as DataTexture).image.data as unknown as Float32Array;
    this.tintBytes = (this.shared.tint.value as DataTexture).image.data as unknown as Uint8Array;
    this.grain = this.keep(solidMaterial(this.shared, !space));
    this.wall = this.keep(solidMaterial(this.shared, !space));
    this.wallLine = this.keep(lineMaterial(this.shared));
    this.rings = space ? null : ringsOf(run.table, facts.shapes.length);
    const images = imagesOf(facts.period, space);
    const all = Array.from({ length: facts.bodies }, (_, k) => k);
    const grains = all.filter((k) => !run.bodies.big[k]);
    const walls = all.filter((k) => run.bodies.big[k]);
    const { shape } = run.bodies;
    this.walls = crowd(walls, shape, (k) => (this.rings ? filled(this.rings[k]) : this.meshesOf(k).fine), this.wall, this.shared, images);
    this.wallLines = lineCrowd(walls, shape, (k) => linesOf(run.table, k, this.rings?.[k] ?? null), this.wallLine, this.shared, images);
    for (const level of space ? LEVELS.slice(0, 1) : LEVELS) {
      this.grains[level] = crowd(grains, shape, (k) => this.meshesOf(k)[level], this.grain, this.shared, images);
    }
    this.chains = new Forces(run, this.keep(forceMaterial(this.shared, false, FORCE)), false);
    this.points = new Forces(run, this.keep(forceMaterial(this.shared, true, POINT)), true);
    for (const { mesh } of [this.chains, this.points]) {
      mesh.onBeforeRender = () => {
        this.shared.images.value.set(0, 0, 0); // bodies were drawn in other images just before
        (mesh.material as ShaderMaterial).uniformsNeedUpdate = true;
      };
    }
    const objects = [this.walls, this.wallLines, ...Object.values(this.grains), this.chains.mesh, this.points.mesh];
    objects.forEach((each, order) => {
      each.traverse((one) => {
        if (!(one instanceof Group)) one.renderOrder = space && each === this.walls ? 9 : order; // that of a group goes before all
      });
      this.scene.add(each);
    });
    if (!space) for (const each of this.materials) each.depthTest = each.depthWrite = false;
    this.points.mesh.renderOrder = 12;
    this.camera = space ? new PerspectiveCamera(FIELD, 1, 0.01, 1e4) : new OrthographicCamera(-1, 1, 1, -1, -1e6, 1e6);
    this.controls = this.controlled(canvas);
    this.resize();
    this.see("fit");
    this.restyle();
  }

  private keep(material: ShaderMaterial): ShaderMaterial {
    this.materials.push(material);
    return material;
  }

  private reachOf(shape: number): number {
    return this.run.bodies.reach[this.run.bodies.shape.indexOf(shape)];
  }

  private meshesOf(shape: number): Record<Level, ShapeMesh> {
    let made = this.meshes.get(shape);
    if (!made) {
      if (this.rings) made = flatMeshes(this.rings[shape], this.reachOf(shape));
      else {
        const mesh = solidMesh(this.run.table, shape);
        made = { fine: mesh, coarse: mesh, tiny: mesh };
      }
      this.meshes.set(shape, made);
    }
    return made;
  }

  private controlled(canvas: HTMLCanvasElement): OrbitControls {
    const gravity = this.run.facts.gravity;
    if (this.run.facts.space) {
      const size = gravity.map(Math.abs);
      const axis = Math.max(...size) > 0 ? size.indexOf(Math.max(...size)) : 2;
      this.up.set(0, 0, 0).setComponent(axis, gravity[axis] > 0 ? -1 : 1);
    }
    this.camera.up.copy(this.up);
    const controls = new OrbitControls(this.camera, canvas);
    controls.zoomToCursor = true;
    controls.enableDamping = false;
    if (!this.run.facts.space) {
      controls.enableRotate = false;
      controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
      controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    }
    return controls;
  }

  /** Fit the drawing to its element. */
  resize(): void {
    const canvas = this.renderer.domElement;
    const [width, height] = [canvas.clientWidth || 1, canvas.clientHeight || 1];
    this.ratio = 0;
    this.sharpen(false);
    if (this.camera instanceof PerspectiveCamera) this.camera.aspect = width / height;
    else {
      const size = this.box.getSize(new Vector3());
      const half = 0.5 * Math.max(size.y, (size.x * height) / width);
      Object.assign(this.camera, { top: half, bottom: -half, right: (half * width) / height, left: (-half * width) / height });
    }
    this.camera.updateProjectionMatrix();
  }

  /** Pixels for a picture that stands still, or for one of many; true if that is a change. */
  sharpen(still: boolean): boolean {
    const screen = Math.min(window.devicePixelRatio || 1, 2);
    const ratio = this.software ? (still ? Math.max(screen, 2) : this.hasty ? HASTY : 1) : screen;
    if (ratio === this.ratio) return false;
    this.ratio = ratio;
    const canvas = this.renderer.domElement;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(canvas.clientWidth || 1, canvas.clientHeight || 1, false);
    return true;
  }

  /** Look at everything from a side. */
  see(side: Side): void {
    this.controls.target.set(0, 0, 0);
    if (this.camera instanceof OrthographicCamera) {
      this.camera.position.set(0, 0, 10);
      this.camera.zoom = 0.93;
      this.camera.updateProjectionMatrix();
    } else {
      const axis = this.up.toArray().findIndex((each) => each !== 0);
      const east = new Vector3().setComponent((axis + 1) % 3, 1);
      const north = new Vector3().crossVectors(this.up, east);
      const ways: Record<Side, number[]> = { fit: [0.5, -0.8, 0.4], front: [0, -1, 0], side: [1, 0, 0], top: [0, -0.0001, 1] };
      const [e, n, u] = ways[side];
      const way = east.multiplyScalar(e).addScaledVector(north, n).addScaledVector(this.up, u).normalize();
      this.camera.position.copy(way.multiplyScalar(this.distanceFor(way.clone())));
    }
    this.controls.update();
  }

  /** How far to stand off in direction `way` to see the whole box. */
  private distanceFor(way: Vector3): number {
    const camera = this.camera as PerspectiveCamera;
    const tall = Math.tan((0.5 * FIELD * Math.PI) / 180);
    const right = new Vector3().crossVectors(this.up, way).normalize();
    const up = new Vector3().crossVectors(way, right);
    let far = 0;
    for (let k = 0; k < 8; k++) {
      const [low, high] = [this.box.min, this.box.max];
      const corner = new Vector3(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z);
      const wide = Math.max(Math.abs(corner.dot(right)) / (tall * camera.aspect), Math.abs(corner.dot(up)) / tall);
      far = Math.max(far, corner.dot(way) + 1.06 * wide);
    }
    return far;
  }

  /** Lay bodies as they are between two frames, coloured as in the first. */
  show(a: Frame, b: Frame | null, share: number, tint: Tint): void {
    this.shown = a;
    stateBetween(this.run, a, b, share, this.centre, this.state);
    tint.paint(a, this.tintBytes, this.look.dark ? [112, 120, 132] : [150, 156, 166]);
    if (this.picked >= 0) this.tintBytes.set(PICKED, 4 * this.picked);
    this.shared.period.value.set(a.period[0], a.period[1], a.period[2] ?? 0);
    this.shared.state.value.needsUpdate = this.shared.tint.value.needsUpdate = true;
    this.layForces();
  }

  private layForces(): void {
    if (!this.shown) return;
    const grain = 2 * this.run.facts.small;
    if (this.look.chains) this.chains.update(this.shown, this.state, grain);
    else this.chains.mesh.visible = false;
    if (this.look.points) this.points.update(this.shown, this.state, grain);
    else this.points.mesh.visible = false;
  }

  /** Take over a changed look. */
  restyle(): void {
    const { look, shared } = this;
    const space = this.run.facts.space;
    this.renderer.setClearColor(new Color(look.dark ? "#10141a" : "#f6f5f2"));
    shared.ink.value = look.dark ? 0.55 : 0.58;
    this.setOpacity(this.grain, look.grains === "faint" ? 0.16 : 1);
    for (const each of Object.values(this.grains)) each.visible = look.grains !== "hidden" && space;
    this.walls.visible = look.walls === "solid" || look.walls === "translucent";
    this.wallLines.visible = look.walls === "hollow" || look.walls === "translucent" || (space && look.walls === "solid");
    this.setOpacity(this.wall, look.walls === "translucent" ? (space ? 0.16 : 0.35) : 1);
    this.wallLine.uniforms.paint.value.setScalar(look.dark ? 0.55 : 0.42);
    const axis = ["x", "y", "z"].indexOf(look.clip);
    const clipped = axis >= 0 && (space || axis < 2);
    if (clipped) {
      const [low, high] = [this.box.min.getComponent(axis), this.box.max.getComponent(axis)];
      const way = this.camera.position.getComponent(axis) < this.controls.target.getComponent(axis) ? -1 : 1; // what is nearer goes
      const plane = new Vector3().setComponent(axis, way);
      shared.clip.value.set(plane.x, plane.y, plane.z, way * (low + look.clipAt * (high - low)));
    }
    for (const each of this.materials) {
      const wanted = String(clipped);
      if (each.defines.CLIPPED !== wanted) {
        each.defines.CLIPPED = wanted;
        each.needsUpdate = true;
      }
    }
    this.layForces();
  }

  private setOpacity(material: ShaderMaterial, opacity: number): void {
    material.uniforms.opacity.value = opacity;
    material.transparent = opacity < 1;
    if (this.run.facts.space) material.depthWrite = opacity === 1;
  }

  render(): void {
    if (this.rings) {
      const pixels = this.run.facts.small * this.pixelsPerLength() * Math.max(this.ratio, 1);
      const level = pixels < BELOW.tiny ? "tiny" : pixels < BELOW.coarse ? "coarse" : "fine";
      for (const each of LEVELS) this.grains[each]!.visible = each === level && this.look.grains !== "hidden";
    }
    if (this.camera instanceof PerspectiveCamera) {
      const away = this.camera.position.length();
      const size = this.box.getSize(new Vector3()).length();
      this.camera.near = Math.max(0.002 * size, away - 3 * size);
      this.camera.far = away + 6 * size;
      this.camera.updateProjectionMatrix();
    }
    this.renderer.render(this.scene, this.camera);
  }

  /** Pixels of the page per unit of length, in space where the camera is turned about. */
  pixelsPerLength(): number {
    const tall = this.renderer.domElement.clientHeight;
    if (this.camera instanceof OrthographicCamera) return (tall * this.camera.zoom) / (this.camera.top - this.camera.bottom);
    const away = this.camera.position.distanceTo(this.controls.target);
    return tall / (2 * away * Math.tan((0.5 * FIELD * Math.PI) / 180));
  }

  /** The grain at a place of the page, in pixels from the upper left corner of the drawing; −1 if there is none. */
  pick(x: number, y: number): number {
    const canvas = this.renderer.domElement;
    const at = new Vector2((2 * x) / canvas.clientWidth - 1, 1 - (2 * y) / canvas.clientHeight);
    if (this.rings) {
      return pickFlat(this.run, this.state, this.rings, new Vector3(at.x, at.y, 0).unproject(this.camera), this.shown?.period ?? [0, 0]);
    }
    const caster = new Raycaster();
    caster.setFromCamera(at, this.camera);
    return pickSolid(this.run, this.state, (k) => this.meshesOf(k).fine, caster.ray, this.look.clip === "none" ? null : this.shared.clip.value);
  }

  /** Camera as numbers for the address, and back. */
  get eye(): number[] {
    const { position, zoom } = this.camera;
    const target = this.controls.target.toArray();
    return this.rings ? [target[0], target[1], zoom] : [...position.toArray(), ...target];
  }
  set eye(numbers: number[]) {
    if (numbers.length !== (this.rings ? 3 : 6) || !numbers.every(Number.isFinite)) return;
    if (this.rings) {
      this.controls.target.set(numbers[0], numbers[1], 0);
      this.camera.position.set(numbers[0], numbers[1], 10);
      this.camera.zoom = numbers[2];
      this.camera.updateProjectionMatrix();
    } else {
      this.camera.position.fromArray(numbers);
      this.controls.target.fromArray(numbers, 3);
    }
    this.controls.update();
  }
}
