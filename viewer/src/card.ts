// The numbers of a grain that was picked, and its history.

import type { App } from "./app";
import { Tint } from "./colours";
import { button, ICONS, make, short } from "./dom";
import type { Curves } from "./plots";
import type { Frame } from "./run";

const HISTORY = ["speed", "spin", "pressure", "displacement", "height"] as const;

export class Card {
  readonly element = make("div", { id: "card", hidden: true });
  private body = make("dl", {});
  private title = make("strong", {});
  private ask = 0;

  constructor(private app: App) {
    this.element.append(
      make("div", { class: "card-head" }, this.title, button("Close (Esc)", ICONS.close, () => void this.pick(-1))),
      this.body,
      button("History", null, () => this.app.togglePlots(true), "Curves of this grain over time"),
    );
  }

  /** Choose a grain; −1 for none. */
  async pick(grain: number): Promise<void> {
    const { app } = this;
    const valid = Number.isInteger(grain) && grain >= 0 && grain < app.run.facts.bodies && !app.run.bodies.big[grain];
    app.stage.picked = valid ? grain : -1;
    this.element.hidden = !valid;
    app.changed();
    if (!valid) {
      app.plots.history(null);
      return;
    }
    const ask = ++this.ask;
    const curves = await this.history(grain);
    if (ask === this.ask && app.stage.picked === grain) app.plots.history(curves, app.tint.quantity.key);
  }

  refresh(frame: Frame): void {
    const k = this.app.stage.picked;
    if (k < 0) return;
    const { run } = this.app;
    const n = run.facts.bodies;
    const name = run.facts.names[run.bodies.name[k]];
    this.title.textContent = `grain ${k}${name ? ` · ${name}` : ""}`;
    const place = Array.from({ length: run.axes }, (_, axis) => String(Number(frame.positions[axis * n + k].toPrecision(3)))).join("  ");
    const rows: [string, string][] = [
      ["shape", run.facts.shapes[run.bodies.shape[k]] || String(run.bodies.shape[k])],
      ["place", place],
      ["speed", short(frame.speed[k])],
      ["spin", short(frame.spin[k])],
    ];
    if (!run.facts.space) rows.push(["angle", `${short((frame.turns[k] * 180) / Math.PI)}°`]);
    if (frame.pressure) rows.push(["pressure", short(frame.pressure[k])]);
    if (frame.contacts) rows.push(["neighbours", short(this.app.tint.values(frame, "neighbours")![k])]);
    rows.push(["displacement", short(this.app.tint.values(frame, "displacement")![k])]);
    rows.push(["mass", short(run.bodies.mass[k])], [run.facts.space ? "volume" : "area", short(run.bodies.size[k])]);
    if (frame.present && !frame.present[k]) rows.push(["", "has left the run"]);
    this.body.replaceChildren(...rows.flatMap(([label, value]) => [make("dt", {}, label), make("dd", {}, value)]));
  }

  /** Its quantities over all frames. */
  private async history(grain: number): Promise<Curves> {
    const { run } = this.app;
    const given = await run.source.history(grain);
    if (given) {
      const lines = [...given.arrays.keys()].filter((each) => each !== "time");
      return { time: given.arrays.get("time")! as Float32Array, lines: lines.map((label) => ({ label, values: given.arrays.get(label) as Float32Array })) };
    }
    const found = new Map<string, number[]>();
    const tint = new Tint(run, this.app.tint.quantity);
    const up = run.axes - 1;
    for (let index = 0; index < run.count; index++) {
      const frame = await run.frame(index);
      for (const key of HISTORY) {
        const value = key === "height" ? frame.positions[up * run.facts.bodies + grain] : tint.values(frame, key)?.[grain];
        if (value !== undefined) found.set(key, [...(found.get(key) ?? []), value]);
      }
    }
    return { time: run.facts.times, lines: [...found].map(([label, values]) => ({ label, values })) };
  }
}
