// The controls at the side.

import type { App } from "./app";
import { QUANTITIES } from "./colours";
import { button, choices, make, short, toggle } from "./dom";
import type { Wish } from "./source";
import type { Grains, Walls } from "./stage";

export class Panel {
  private refreshers: (() => void)[] = [];

  constructor(
    private app: App,
    element: HTMLElement,
  ) {
    const { facts } = app.run;
    if (app.run.source.wish && !facts.finished) element.append(this.running());
    element.append(this.colours(), this.bodies());
    if (facts.contacts) element.append(this.contacts());
    element.append(this.camera(), this.playing());
    element.append(this.about());
  }

  refresh(): void {
    for (const each of this.refreshers) each();
  }

  private section(title: string, ...children: (Node | null)[]): HTMLElement {
    return make("section", {}, make("h2", {}, title), ...children);
  }

  private keep<T extends { element: HTMLElement; refresh: () => void }>(control: T): HTMLElement {
    this.refreshers.push(control.refresh);
    return control.element;
  }

  private colours(): HTMLElement {
    const { app } = this;
    const select = make("select", { id: "colour", "aria-label": "colour by" });
    select.append(...QUANTITIES.filter((each) => app.offers(each)).map((each) => make("option", { value: each.key }, each.label)));
    select.addEventListener("change", () => app.colourBy(select.value));
    select.value = app.tint.quantity.key;
    const largest = button("Pick the largest (m)", null, () => app.pickLargest(), "The grain with the largest value in this frame: its numbers");
    return this.section("Colour", select, make("div", { class: "below" }, largest));
  }

  private bodies(): HTMLElement {
    const { app } = this;
    const walls = choices("walls", ["solid", "translucent", "hollow", "hidden"] as Walls[], () => app.look.walls, (walls) => app.changeLook({ walls }));
    const grains = choices("grains", ["solid", "faint", "hidden"] as Grains[], () => app.look.grains, (grains) => app.changeLook({ grains }));
    const parts = [this.keep(grains), this.keep(walls)];
    if (app.run.facts.space) {
      const clip = choices("cut", ["none", "x", "y", "z"] as const, () => app.look.clip, (clip) => app.changeLook({ clip }));
      const at = make("input", { type: "range", min: 0, max: 1, step: 0.005, "aria-label": "place of the cut", id: "clip-at" });
      at.addEventListener("input", () => app.changeLook({ clipAt: Number(at.value) }));
      const refresh = () => {
        at.value = String(app.look.clipAt);
        at.hidden = app.look.clip === "none";
      };
      refresh();
      this.refreshers.push(refresh);
      parts.push(this.keep(clip), at);
    }
    return this.section("Bodies", ...parts);
  }

  private contacts(): HTMLElement {
    const { app } = this;
    const mean = make("p", { class: "hint" });
    const refresh = () => (mean.textContent = `mean force of a pair ${short(app.run.facts.scales.mean_force)}`);
    refresh();
    this.refreshers.push(refresh);
    return this.section(
      "Contacts",
      this.keep(toggle("forces, as thick as large (f)", () => app.look.chains, (chains) => app.changeLook({ chains }))),
      this.keep(toggle("points of touch (p)", () => app.look.points, (points) => app.changeLook({ points }))),
      mean,
    );
  }

  private camera(): HTMLElement {
    const { app } = this;
    const group = make("div", { class: "choices" });
    const sides = app.run.facts.space ? (["fit", "front", "side", "top"] as const) : (["fit"] as const);
    for (const side of sides) group.append(button(side === "fit" ? "whole" : side, null, () => app.see(side)));
    const text = app.run.facts.space ? "drag turns, right drag moves, wheel zooms" : "drag moves, wheel zooms";
    return this.section("Camera", group, make("p", { class: "hint" }, `${text}; a click on a grain shows its numbers`));
  }

  private playing(): HTMLElement {
    const { app } = this;
    const smooth = toggle("smooth between frames", () => app.smooth, (on) => {
      app.smooth = on;
      app.changed();
    });
    return this.section("Playing", this.keep(smooth));
  }

  private running(): HTMLElement {
    const { app } = this;
    const wish = app.run.source.wish!;
    const does = (what: Wish) => () => void wish(what).catch((error: Error) => app.note(error.message));
    const hold = button("Hold", null, does("hold"), "The run waits, saved, until it may go on");
    const go = button("Go on", null, does("go"), "Let the run go on");
    const save = button("Save now", null, does("save"), "Write a checkpoint now");
    const refresh = () => {
      const { live, held, finished } = app.run.facts;
      section.hidden = finished;
      hold.disabled = !live || !!held;
      go.disabled = !live || !held;
      save.disabled = !live;
      buttons.hidden = !live || !!app.run.facts.stepped;
      stopped.hidden = !!live;
      title.textContent = app.run.facts.stepped ? "A simulation" : live ? "This run goes on" : "This run was stopped";
      const { go_on: words, resumable, starting, failure } = app.run.facts;
      command.textContent = words ?? "";
      copy.hidden = command.hidden = !words;
      resume.hidden = !resumable;
      resume.disabled = !!starting;
      const how = words ? "Nothing steps it. To go on, in a terminal:" : "Nothing steps it. A script made it: it goes on by that script, with resume=True.";
      why.textContent = starting ? "Starting …" : failure ? `It did not go on: ${failure}` : how;
    };
    const follow = toggle("follow the newest frame", () => app.follow, (on) => {
      app.follow = on;
      if (on) app.goTo(app.run.count - 1);
      app.follow = on;
    });
    const command = make("code", { id: "go-on", tabindex: 0 });
    const copy = button("Copy", null, () => void this.copy(command), "Copy the command that goes on with this run");
    const why = make("p", { class: "hint" });
    const resume = button("Resume it here", null, does("resume"), "A process of its own goes on from the last checkpoint");
    const stopped = make("div", { class: "stopped" }, resume, why, command, copy);
    const buttons = make("div", { class: "choices" }, hold, go, save);
    const title = make("h2", {});
    const section = make("section", {}, title, this.keep(follow), buttons, stopped);
    refresh();
    this.refreshers.push(refresh);
    return section;
  }

  /** The clipboard may be refused: then the words are selected, for Ctrl-C. */
  private async copy(words: HTMLElement): Promise<void> {
    try {
      await navigator.clipboard.writeText(words.textContent!);
      this.app.note("copied");
    } catch {
      getSelection()!.selectAllChildren(words);
    }
  }

  private about(): HTMLElement {
    const list = make("dl", {});
    const refresh = () => {
      const { facts } = this.app.run;
      const rows: [string, string][] = [
        ["folder", facts.folder],
        ["frames", String(facts.times.length)],
      ];
      const { steps, energy_error: error } = facts.result;
      if (steps !== undefined) rows.push(["steps", steps.toLocaleString("en")]);
      if (error !== undefined && error !== null) rows.push(["energy error", error.toExponential(1)]);
      list.replaceChildren(...rows.flatMap(([label, value]) => [make("dt", {}, label), make("dd", {}, value)]));
    };
    refresh();
    this.refreshers.push(refresh);
    const keys = "space plays · ← → step (with shift 10) · 0 whole · m largest · f forces · p points · w walls · c curves · d dark · s picture · Esc";
    return this.section("Run", list, make("p", { class: "hint" }, keys));
  }
}
