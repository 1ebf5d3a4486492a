// Curves over time: the energy book, series of the run, history of a grain. The cursor is the time that is shown.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Block } from "./blocks";
import { category, css } from "./colours";
import { make, short } from "./dom";

export interface Curves {
  time: Float32Array | number[];
  lines: { label: string; values: Float32Array | number[] }[];
}

const BOOK = ["kinetic", "gravitational", "elastic", "heat", "work", "energy + heat − work"];
const MOST_LINES = 14;
const GRAIN = "grain: ";

export class Plots {
  readonly element = make("section", { id: "plots", "aria-label": "curves" });
  private pick = make("select", { title: "What is plotted" });
  private room = make("div", { class: "plot" });
  private line = make("div", { class: "time-line" });
  private plot: uPlot | null = null;
  private groups = new Map<string, Curves>();
  private time = 0;
  private dark = true;

  constructor(private goTo: (time: number) => void) {
    this.element.append(make("div", { class: "plot-head" }, this.pick), this.room);
    this.pick.addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.fit()).observe(this.room);
  }

  /** Take the series of a run. */
  series(block: Block): void {
    const time = block.arrays.get("time") as Float32Array;
    const names = [...block.arrays.keys()].filter((each) => each !== "time").map((each) => each.slice(1));
    const line = (name: string) => ({ label: name.replaceAll("_", " "), values: block.arrays.get(`/${name}`) as Float32Array });
    const kept = [...this.groups].filter(([name]) => name.startsWith(GRAIN));
    this.groups = new Map(kept);
    const book = BOOK.filter((each) => names.includes(each));
    if (book.includes("kinetic")) this.groups.set("energy book", { time, lines: book.map(line) });
    if (names.includes("residual")) this.groups.set("residual of the book", { time, lines: [line("residual")] });
    const accounts = (block.head.accounts as string[]).filter((each) => names.includes(each));
    if (accounts.length) this.groups.set("all accounts", { time, lines: accounts.slice(0, MOST_LINES).map(line) });
    const used = new Set([...accounts, ...BOOK, "residual"]);
    for (const each of names) if (!used.has(each)) this.groups.set(each.replaceAll("_", " "), { time, lines: [line(each)] });
    this.offer();
  }

  /** Curves of one grain, of which `wanted` is shown; null when none is picked any more. */
  history(curves: Curves | null, wanted = ""): void {
    const others = [...this.groups].filter(([name]) => !name.startsWith(GRAIN));
    const grain = (curves?.lines ?? []).map((line): [string, Curves] => [GRAIN + line.label, { time: curves!.time, lines: [line] }]);
    this.groups = new Map([...grain, ...others]);
    const same = this.pick.value.startsWith(GRAIN) ? this.pick.value : GRAIN + wanted;
    this.offer(curves ? (this.groups.has(same) ? same : `${GRAIN}speed`) : undefined);
  }

  private offer(wanted = this.pick.value): void {
    const names = [...this.groups.keys()];
    this.pick.replaceChildren(...names.map((each) => make("option", { value: each }, each)));
    this.pick.value = names.includes(wanted) ? wanted : (names[0] ?? "");
    this.draw();
  }

  get empty(): boolean {
    return this.groups.size === 0;
  }
  get chosen(): string {
    return this.pick.value;
  }
  set chosen(name: string) {
    if (this.groups.has(name)) {
      this.pick.value = name;
      this.draw();
    }
  }

  restyle(dark: boolean): void {
    this.dark = dark;
    this.draw();
  }

  private draw(): void {
    this.plot?.destroy();
    this.plot = null;
    this.room.replaceChildren();
    const curves = this.groups.get(this.pick.value);
    if (!curves || this.room.clientWidth < 20) return;
    const ink = this.dark ? "#9aa3af" : "#5b626c";
    const grid = { stroke: this.dark ? "#262c35" : "#e2e0da", width: 1 };
    const axis = { stroke: ink, grid, ticks: grid, font: "11px system-ui, sans-serif" };
    const lines = curves.lines.slice(0, MOST_LINES);
    const options: uPlot.Options = {
      width: this.room.clientWidth,
      height: this.room.clientHeight - (lines.length > 1 ? 26 : 0),
      scales: { x: { time: false } },
      legend: { show: lines.length > 1, live: false },
      cursor: { drag: { setScale: false }, points: { size: 5 } },
      axes: [{ ...axis, size: 26 }, { ...axis, size: 64, values: (_, ticks) => ticks.map(short) }],
      series: [
        {},
        ...lines.map((each, k) => ({
          label: each.label, stroke: css(category(k)), width: 1.6, dash: k >= 10 ? [5, 4] : undefined, points: { show: false },
        })),
      ],
      hooks: { ready: [(u) => this.listen(u)], drawAxes: [() => this.place()] },
    };
    this.plot = new uPlot(options, [curves.time, ...lines.map((each) => each.values)] as unknown as uPlot.AlignedData, this.room);
    this.place();
  }

  private listen(plot: uPlot): void {
    plot.over.append(this.line);
    const go = (event: PointerEvent) => {
      const left = event.clientX - plot.over.getBoundingClientRect().left;
      this.goTo(plot.posToVal(left, "x"));
    };
    plot.over.addEventListener("pointerdown", go);
    plot.over.addEventListener("pointermove", (event) => event.buttons === 1 && go(event));
  }

  private fit(): void {
    if (!this.plot) this.draw();
    else {
      const room = this.groups.get(this.pick.value)!.lines.length > 1 ? 26 : 0;
      this.plot.setSize({ width: this.room.clientWidth, height: this.room.clientHeight - room });
    }
    this.place();
  }

  /** Move the cursor to a time. */
  at(time: number): void {
    this.time = time;
    this.place();
  }

  private place(): void {
    if (!this.plot) return;
    const left = this.plot.valToPos(this.time, "x");
    this.line.style.transform = `translateX(${left}px)`;
    this.line.hidden = !(left >= -1 && left <= this.plot.over.clientWidth + 1);
  }
}
