// The page of a run: what is shown, at what time, and who is called when that changes.

import { readAddress, type Words, writeAddress } from "./address";
import { composed, download, Movie, savePicture } from "./capture";
import { QUANTITIES, type Quantity, Tint } from "./colours";
import { Card } from "./card";
import { button, ICONS, make, short } from "./dom";
import { fillLegend, paintOver, scaleBar } from "./legend";
import { Panel } from "./panel";
import { Plots } from "./plots";
import type { Run } from "./run";
import { type Grains, type Look, Stage, type Walls } from "./stage";
import { Timebar } from "./timebar";

const RATE = 25; // frames of the run per second at speed 1
const SLOW = 1 / 32; // seconds from picture to picture that are too many
const PACE = 0.15; // share of the last one in their mean
const STILL = 250; // milliseconds without a change, after which a picture may take longer
const LAST_PICTURE = 200; // milliseconds it stays in a movie
const LOOK_AGAIN = 1000; // milliseconds between two looks at a run that goes on
const WALLS: readonly string[] = ["solid", "translucent", "hollow", "hidden"];
const GRAINS: readonly string[] = ["solid", "faint", "hidden"];

export class App {
  at = 0; // place between frames
  playing = false;
  speed = 1;
  smooth = true;
  follow = false;
  tint: Tint;
  readonly look: Look;
  readonly stage: Stage;
  readonly plots: Plots;
  readonly panel: Panel;
  readonly card: Card;
  readonly timebar: Timebar;
  readonly measured = { frames: 0, since: performance.now() }; // drawn pictures, for who wants to know how fast
  private canvas = make("canvas", { id: "stage", tabindex: 0, "aria-label": "picture of the run; space plays, arrows step" });
  private legend = make("div", { id: "legend" });
  private bar = make("div", { id: "scale" });
  private subtitle = make("span", { class: "subtitle" });
  private badge = make("span", { class: "badge" });
  private movie: { recorder: Movie; canvas: HTMLCanvasElement } | null = null;
  private dirty = true;
  private last = 0;
  private moved = 0;
  private pace = 0; // seconds from picture to picture, averaged
  private started: Words = readAddress();

  constructor(readonly run: Run, readonly root: HTMLElement) {
    const prefers = matchMedia("(prefers-color-scheme: dark)").matches;
    this.look = { walls: run.facts.space ? "translucent" : "solid", grains: "solid", chains: false, points: false, clip: "none", clipAt: 0.5, dark: prefers };
    this.readLook(this.started);
    this.tint = new Tint(run, QUANTITIES.find((each) => each.key === this.started.colour && this.offers(each)) ?? QUANTITIES[0]);
    this.plots = new Plots((time) => this.goTo(run.place(time)));
    this.timebar = new Timebar(this);
    this.card = new Card(this);
    this.lay();
    this.stage = new Stage(this.canvas, run, this.look);
    this.panel = new Panel(this, document.getElementById("panel")!);
    if (this.started.eye) this.stage.eye = this.started.eye.split(",").map(Number);
    if (this.started.t) this.at = run.place(Number(this.started.t));
    this.follow = !run.facts.finished && run.source.wish !== null && !this.started.t;
    if (this.follow) this.at = Math.max(0, run.count - 1);
    this.listen();
    this.restyle();
    this.changed();
    requestAnimationFrame(this.tick);
    if (this.started.grain) void this.card.pick(Number(this.started.grain));
    void run.source.series().then((block) => {
      this.plots.series(block);
      if (this.started.plot) {
        this.root.classList.add("with-plots");
        this.plots.chosen = this.started.plot;
      }
    });
    if (run.source.wish && !run.facts.finished) window.setTimeout(() => this.lookAgain(), LOOK_AGAIN);
  }

  offers(quantity: Quantity): boolean {
    if (quantity.key === "pressure" || quantity.key === "neighbours") return this.run.facts.contacts;
    return quantity.key !== "name" || this.run.facts.names.some((each) => each !== "");
  }

  private readLook(words: Words): void {
    if (WALLS.includes(words.walls)) this.look.walls = words.walls as Walls;
    if (GRAINS.includes(words.grains)) this.look.grains = words.grains as Grains;
    this.look.chains = words.chains === "1" && this.run.facts.contacts;
    this.look.points = words.points === "1" && this.run.facts.contacts;
    const [axis, at] = (words.clip ?? "").split(",");
    if (axis === "x" || axis === "y" || axis === "z") this.look.clip = axis;
    if (Number.isFinite(Number(at)) && at) this.look.clipAt = Number(at);
    if (words.theme) this.look.dark = words.theme === "dark";
    if (Number(words.speed) > 0) this.speed = Number(words.speed);
  }

  private words(): Words {
    const { look } = this;
    const words: Words = {
      colour: this.tint.quantity.key, walls: look.walls,
      eye: this.stage.eye.map((each) => Number(each.toPrecision(5))).join(","), theme: look.dark ? "dark" : "light",
    };
    if (!this.follow) words.t = String(Number(this.run.time(this.at).toPrecision(6)));
    if (look.grains !== "solid") words.grains = look.grains;
    if (look.chains) words.chains = "1";
    if (look.points) words.points = "1";
    if (look.clip !== "none") words.clip = `${look.clip},${look.clipAt.toFixed(3)}`;
    if (this.stage.picked >= 0) words.grain = String(this.stage.picked);
    if (this.root.classList.contains("with-plots")) words.plot = this.plots.chosen;
    if (this.speed !== 1) words.speed = String(this.speed);
    return words;
  }

  private lay(): void {
    const { facts } = this.run;
    const title = make("header", {}, make("h1", {}, facts.title), this.subtitle, this.badge);
    const tools = make(
      "nav", { "aria-label": "picture" },
      button("Whole picture (0)", ICONS.home, () => this.see()),
      button("Curves (c)", ICONS.chart, () => this.togglePlots()),
      button("Save a picture (s)", ICONS.camera, () => void this.savePicture()),
      button("Record a movie", ICONS.film, () => void this.record()),
      button("Dark or light (d)", ICONS.moon, () => this.changeLook({ dark: !this.look.dark })),
      button("Controls", ICONS.sliders, () => this.root.classList.toggle("with-panel")),
    );
    const view = make("main", {}, this.canvas, title, tools, this.legend, this.bar, this.card.element);
    this.root.append(view, make("aside", { id: "panel" }), this.plots.element, this.timebar.element);
  }

  private listen(): void {
    this.stage.controls.addEventListener("change", () => this.changed());
    new ResizeObserver(() => {
      this.stage.resize();
      this.stage.render(); // at once: a canvas of another size is empty
      this.changed();
    }).observe(this.canvas);
    let down = { x: 0, y: 0 };
    this.canvas.addEventListener("pointerdown", (event) => (down = { x: event.clientX, y: event.clientY }));
    this.canvas.addEventListener("pointerup", (event) => {
      if (Math.hypot(event.clientX - down.x, event.clientY - down.y) > 5) return;
      const box = this.canvas.getBoundingClientRect();
      void this.card.pick(this.stage.pick(event.clientX - box.left, event.clientY - box.top));
    });
    window.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => location.reload());
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)) return;
    const acts: Record<string, () => void> = {
      " ": () => this.play(!this.playing),
      ArrowRight: () => this.step(event.shiftKey ? 10 : 1),
      ArrowLeft: () => this.step(event.shiftKey ? -10 : -1),
      Home: () => this.goTo(0),
      End: () => this.goTo(this.run.count - 1),
      "0": () => this.see(),
      "1": () => this.stage.see("front"),
      "2": () => this.stage.see("side"),
      "3": () => this.stage.see("top"),
      m: () => this.pickLargest(),
      f: () => this.changeLook({ chains: !this.look.chains && this.run.facts.contacts }),
      p: () => this.changeLook({ points: !this.look.points && this.run.facts.contacts }),
      w: () => this.changeLook({ walls: WALLS[(WALLS.indexOf(this.look.walls) + 1) % WALLS.length] as Walls }),
      c: () => this.togglePlots(),
      d: () => this.changeLook({ dark: !this.look.dark }),
      s: () => void this.savePicture(),
      Escape: () => void this.card.pick(-1),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  /** Something that is seen has changed. */
  changed(): void {
    this.dirty = true;
    writeAddress(() => this.words());
  }

  see(side: "fit" | "front" | "side" | "top" = "fit"): void {
    this.stage.see(side);
    this.changed();
  }

  colourBy(key: string): void {
    this.tint = new Tint(this.run, QUANTITIES.find((each) => each.key === key)!);
    fillLegend(this.legend, this.tint, this.run.facts.space);
    this.changed();
  }

  /** Choose the grain with the largest value of what is coloured, of either sign, at the frame that is shown. */
  pickLargest(): void {
    const frame = this.run.count ? this.run.now(Math.min(Math.floor(this.at), this.run.count - 1), () => {}) : null;
    const values = frame && this.tint.values(frame);
    if (!frame || !values) {
      this.note("colour by a number first: speed, spin, pressure …");
      return;
    }
    let best = -1;
    for (let k = 0; k < values.length; k++) {
      if (this.run.bodies.big[k] || (frame.present && !frame.present[k])) continue;
      if (best < 0 || Math.abs(values[k]) > Math.abs(values[best])) best = k;
    }
    void this.card.pick(best);
  }

  changeLook(change: Partial<Look>): void {
    Object.assign(this.look, change);
    this.stage.restyle();
    if (change.dark !== undefined) this.restyle();
    this.panel.refresh();
    this.changed();
  }

  private restyle(): void {
    this.root.dataset.theme = this.look.dark ? "dark" : "light";
    document.documentElement.dataset.theme = this.root.dataset.theme;
    this.stage.restyle();
    this.plots.restyle(this.look.dark);
    fillLegend(this.legend, this.tint, this.run.facts.space);
  }

  togglePlots(on = !this.root.classList.contains("with-plots")): void {
    this.root.classList.toggle("with-plots", on);
    this.changed();
  }

  play(on: boolean): void {
    if (on && this.at >= this.run.count - 1) this.at = 0;
    if (on) this.follow = false;
    this.playing = on && this.run.count > 1;
    this.changed();
  }

  step(count: number): void {
    this.play(false);
    this.goTo(count > 0 ? Math.floor(this.at + count + 1e-6) : Math.ceil(this.at + count - 1e-6));
  }

  goTo(place: number): void {
    this.at = Math.min(Math.max(place, 0), Math.max(0, this.run.count - 1));
    if (this.at < this.run.count - 1) this.follow = false;
    this.changed();
  }

  /** Fewer pixels from where playing becomes too slow until it stops; a movie keeps its size. */
  private hurry(passed: number): void {
    const playing = this.playing && !this.movie;
    this.pace = playing ? this.pace + PACE * (passed - this.pace) : 0;
    if (!playing) this.stage.hasty = false;
    else if (this.pace > SLOW) this.stage.hasty = true;
  }

  private tick = (now: number): void => {
    requestAnimationFrame(this.tick);
    const passed = Math.min(now - this.last, 200) / 1000;
    this.last = now;
    this.hurry(passed);
    if (this.playing) {
      this.at += passed * RATE * this.speed;
      const end = this.run.count - 1;
      if (this.at >= end) {
        this.at = this.movie ? end : this.at - end;
        if (this.movie) {
          this.playing = false;
          void this.endMovie();
        }
      }
      this.dirty = true;
    }
    if (this.dirty) {
      this.dirty = false;
      this.moved = now;
      this.stage.sharpen(false);
      this.draw();
    } else if (now - this.moved > STILL && this.stage.sharpen(true)) this.stage.render();
  };

  private draw(): void {
    this.timebar.refresh();
    if (!this.run.count) {
      this.subtitle.textContent = "no frames yet";
      this.stage.render();
      return;
    }
    const index = Math.min(Math.floor(this.at), this.run.count - 1);
    const again = () => (this.dirty = true);
    const frame = this.run.now(index, again);
    if (!frame) return;
    const share = this.smooth ? this.at - index : 0;
    const next = share > 0 && index + 1 < this.run.count ? this.run.now(index + 1, again) : null;
    this.stage.show(frame, next, share, this.tint);
    this.stage.render();
    this.card.refresh(frame);
    this.plots.at(this.run.time(this.at));
    const grains = this.run.facts.bodies - this.run.bodies.big.reduce((sum, each) => sum + each, 0);
    this.subtitle.textContent = `${grains.toLocaleString("en")} grain${grains === 1 ? "" : "s"} · ${this.when()}`;
    const scale = scaleBar(this.stage.pixelsPerLength());
    this.bar.style.width = `${scale.pixels}px`;
    this.bar.textContent = short(scale.length);
    this.measured.frames++;
    if (this.movie) composed(this.canvas, this.over(), this.movie.canvas);
    if (this.playing) writeAddress(() => this.words());
  }

  when(): string {
    return `t = ${short(this.run.time(this.at))}`;
  }

  private over(): (context: CanvasRenderingContext2D) => void {
    return (context) => {
      const ratio = this.canvas.width / this.canvas.clientWidth;
      paintOver(context, this.tint, this.run.facts.space, this.when(), this.run.facts.title, this.stage.pixelsPerLength() * ratio, this.look.dark);
    };
  }

  async savePicture(): Promise<void> {
    this.stage.sharpen(true);
    this.stage.render();
    await savePicture(this.canvas, this.over(), `${this.run.facts.folder}-${short(this.run.time(this.at))}.png`);
  }

  /** Play from the start to the end and keep it as a movie; a second call ends it. */
  async record(): Promise<void> {
    if (this.movie) return this.endMovie();
    if (!Movie.possible()) {
      this.note("this browser cannot record movies; clast movie RUN makes one");
      return;
    }
    const canvas = composed(this.canvas, this.over());
    this.goTo(0);
    this.movie = { canvas, recorder: new Movie(canvas, RATE) };
    this.root.classList.add("recording");
    this.play(true);
  }

  private async endMovie(): Promise<void> {
    const movie = this.movie;
    this.movie = null;
    this.play(false);
    this.root.classList.remove("recording");
    if (!movie) return;
    await new Promise((done) => setTimeout(done, LAST_PICTURE));
    download(await movie.recorder.finish(), `${this.run.facts.folder}.webm`);
  }

  note(text: string): void {
    const note = make("div", { class: "note", role: "status" }, text);
    this.root.append(note);
    setTimeout(() => note.remove(), 6000);
  }

  /** Look whether a run that goes on has saved more. */
  private async lookAgain(): Promise<void> {
    try {
      const facts = await this.run.source.facts();
      const other = facts.bodies !== this.run.facts.bodies || facts.issue !== this.run.facts.issue;
      if (other || (!this.run.count && facts.times.length)) return location.reload(); // what is looked at can only be known now
      const more = facts.times.length !== this.run.count;
      this.run.facts = { ...facts, view: this.run.facts.view };
      this.badge.textContent = facts.finished ? "finished" : facts.held ? "held" : facts.live ? "live" : "stopped";
      this.badge.dataset.state = this.badge.textContent;
      if (more) {
        if (this.follow) this.at = this.run.count - 1;
        this.run.start ??= await this.run.frame(0);
        this.colourBy(this.tint.quantity.key); // on the scale of what there is now
        this.plots.series(await this.run.source.series());
      }
      this.panel.refresh();
      this.changed();
      if (!facts.finished) window.setTimeout(() => this.lookAgain(), LOOK_AGAIN);
    } catch {
      this.badge.textContent = "no answer";
      this.badge.dataset.state = "stopped";
      window.setTimeout(() => this.lookAgain(), LOOK_AGAIN);
    }
  }
}
