// Forces between bodies as lines from centre to centre, as thick as they are large; and the points where bodies touch.

import { BufferAttribute, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, type ShaderMaterial } from "three";
import type { Frame, Run } from "./run";

const MEAN_WIDTH = 0.1; // of a grain's diameter: half a line of the mean force is half as wide
const WIDEST = 0.45;
const POINT = 0.1;

export class Forces {
  readonly mesh: Mesh;
  private geometry = new InstancedBufferGeometry();
  private room = 0;
  private begin = new Float32Array(0);
  private end = new Float32Array(0);

  constructor(
    private run: Run,
    material: ShaderMaterial,
    private points: boolean,
  ) {
    this.geometry.setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3));
    this.geometry.setIndex([0, 1, 2, 0, 2, 3]);
    this.grow(64);
    this.mesh = new Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
  }

  private grow(count: number): void {
    if (count <= this.room) return;
    this.room = Math.ceil(1.5 * count);
    this.begin = new Float32Array(4 * this.room);
    this.end = new Float32Array(3 * this.room);
    for (const [name, data, width] of [["begin", this.begin, 4], ["end", this.end, 3]] as const) {
      const attribute = new InstancedBufferAttribute(data, width);
      attribute.setUsage(DynamicDrawUsage);
      this.geometry.setAttribute(name, attribute);
    }
  }

  /** Lay them between bodies in their present state. `grain` is the diameter by which widths are measured. */
  update(frame: Frame, state: Float32Array, grain: number): void {
    const table = frame.contacts;
    const big = this.run.bodies.big;
    const mean = this.run.facts.scales.mean_force || 1;
    const axes = this.run.axes;
    let made = 0;
    this.grow(2 * (table?.count ?? 0));
    const put = (from: number[], to: number[], half: number): void => {
      this.begin.set([from[0], from[1], from[2], half], 4 * made);
      this.end.set(to, 3 * made);
      made++;
    };
    for (let c = 0; table && c < table.count; c++) {
      const i = table.first[c];
      const j = i + table.second[c];
      const a = [state[8 * i], state[8 * i + 1], axes === 3 ? state[8 * i + 2] : 0];
      const arm = [table.arm[0][c], table.arm[1][c], axes === 3 ? table.arm[2][c] : 0];
      if (this.points) {
        const place = a.map((each, k) => each + arm[k]);
        put(place, place, POINT * grain);
        continue;
      }
      const half = 0.5 * Math.min((MEAN_WIDTH * 2 * table.force[c]) / mean, WIDEST * 2) * 0.5 * grain;
      if (big[j]) {
        put(a, a.map((each, k) => each + arm[k]), half);
        continue;
      }
      const b = [state[8 * j], state[8 * j + 1], axes === 3 ? state[8 * j + 2] : 0];
      let crosses = false;
      const met = b.map((each, k) => {
        const period = k < axes ? frame.period[k] : 0;
        const turns = period > 0 ? Math.round((each - a[k]) / period) : 0;
        crosses ||= turns !== 0;
        return each - turns * period;
      });
      put(a, met, half);
      if (crosses) put(b, b.map((each, k) => each + a[k] - met[k]), half);
    }
    this.geometry.instanceCount = made;
    this.mesh.visible = made > 0;
    for (const name of ["begin", "end"]) this.geometry.getAttribute(name).needsUpdate = true;
  }
}
