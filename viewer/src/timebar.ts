// Play, step, and the slider of time.

import type { App } from "./app";
import { button, icon, ICONS, make, short } from "./dom";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Timebar {
  readonly element = make("footer", { id: "timebar" });
  private slider = make("input", { type: "range", min: 0, step: "any", "aria-label": "time" });
  private readout = make("output", {});
  private playButton: HTMLButtonElement;
  private speed = make("select", { title: "Speed of playing" });
  private playing: boolean | null = null;

  constructor(private app: App) {
    this.playButton = button("Play (space)", ICONS.play, () => app.play(!app.playing), undefined, true);
    this.playButton.id = "play";
    this.speed.append(...SPEEDS.map((each) => make("option", { value: each }, `${each}×`)));
    this.speed.value = String(SPEEDS.includes(app.speed) ? app.speed : 1);
    this.speed.addEventListener("change", () => {
      app.speed = Number(this.speed.value);
      app.changed();
    });
    this.slider.addEventListener("input", () => {
      app.play(false);
      app.goTo(Number(this.slider.value));
    });
    this.element.append(
      button("One frame back (←)", ICONS.back, () => app.step(-1)),
      this.playButton,
      button("One frame on (→)", ICONS.forward, () => app.step(1)),
      this.slider,
      this.readout,
      this.speed,
    );
  }

  refresh(): void {
    const { app } = this;
    const end = Math.max(app.run.count - 1, 0);
    this.slider.max = String(end);
    this.slider.value = String(app.at);
    this.slider.style.setProperty("--done", `${end ? (100 * app.at) / end : 0}%`);
    this.readout.textContent = `${short(app.run.time(app.at))}  ·  frame ${Math.floor(app.at) + (app.run.count ? 1 : 0)}/${app.run.count}`;
    if (this.playing !== app.playing) {
      this.playing = app.playing;
      this.playButton.replaceChildren(icon(app.playing ? ICONS.pause : ICONS.play, true));
    }
  }
}
