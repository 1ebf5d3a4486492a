// What colours mean, and how long a length is: as elements of the page, and painted into pictures and movies.

import { css, category, shade, signedShade, type Tint, turnShade } from "./colours";
import { make, short } from "./dom";

const MOST_NAMES = 10;

function ramp(tint: Tint, space: boolean): ((share: number) => string) | null {
  if (tint.quantity.kind === "turn") return space ? null : (s) => css(turnShade(s));
  if (tint.quantity.kind === "signed" && !space) return (s) => css(signedShade(2 * s - 1));
  return tint.quantity.kind === "scale" || tint.quantity.kind === "signed" ? (s) => css(shade(s)) : null;
}

/** Numbers below the scale, from left to right. */
function ticks(tint: Tint, space: boolean): string[] {
  if (tint.quantity.kind === "turn") return ["0°", "180°", "360°"];
  if (tint.quantity.kind === "signed" && !space) return [`−${short(tint.top)}`, "0", short(tint.top)];
  return ["0", short(tint.top / 2), `≥ ${short(tint.top)}`];
}

function labels(tint: Tint, space: boolean): { colour: string; label: string }[] {
  if (tint.quantity.kind === "turn" && space) {
    return ["x", "y", "z"].map((axis, k) => ({ colour: css([0, 1, 2].map((c) => (c === k ? 240 : 60))), label: `first axis along ${axis}` }));
  }
  const names = tint.classes?.labels ?? [];
  const shown = names.slice(0, MOST_NAMES).map((label, k) => ({ colour: css(category(k)), label }));
  if (names.length > MOST_NAMES) shown.push({ colour: "transparent", label: `and ${names.length - MOST_NAMES} more` });
  return shown;
}

function title(tint: Tint): string {
  return tint.quantity.unit ? `${tint.quantity.label} [${tint.quantity.unit}]` : tint.quantity.label;
}

export function fillLegend(element: HTMLElement, tint: Tint, space: boolean): void {
  element.replaceChildren();
  element.hidden = tint.quantity.kind === "none";
  if (element.hidden) return;
  element.append(make("div", { class: "legend-title" }, title(tint)));
  const at = ramp(tint, space);
  if (at) {
    const bar = make("div", { class: "ramp" });
    bar.style.background = `linear-gradient(90deg, ${Array.from({ length: 17 }, (_, k) => at(k / 16)).join(", ")})`;
    element.append(bar, make("div", { class: "ticks" }, ...ticks(tint, space).map((each) => make("span", {}, each))));
    return;
  }
  for (const { colour, label } of labels(tint, space)) {
    const swatch = make("i", {});
    swatch.style.background = colour;
    element.append(make("div", { class: "swatch" }, swatch, make("span", {}, label)));
  }
}

/** A round length that is about `wanted` pixels long. */
export function scaleBar(pixelsPerLength: number, wanted = 110): { length: number; pixels: number } {
  const raw = wanted / pixelsPerLength;
  const power = 10 ** Math.floor(Math.log10(raw));
  const length = [5, 2, 1].map((each) => each * power).find((each) => each <= raw) ?? power;
  return { length, pixels: length * pixelsPerLength };
}

/** Paint time, legend and scale bar over a picture. `unit` is the number of its pixels per pixel of the page. */
export function paintOver(
  context: CanvasRenderingContext2D, tint: Tint, space: boolean, time: string, titleText: string, pixelsPerLength: number, dark: boolean,
): void {
  const { width, height } = context.canvas;
  const unit = Math.max(1, Math.min(width, height) / 700);
  const ink = dark ? "#e8eaed" : "#22262c";
  context.save();
  context.fillStyle = context.strokeStyle = ink;
  context.font = `600 ${15 * unit}px system-ui, sans-serif`;
  context.textBaseline = "alphabetic";
  context.fillText(titleText, 18 * unit, 28 * unit);
  context.font = `${13 * unit}px system-ui, sans-serif`;
  context.fillText(time, 18 * unit, 48 * unit);
  const bar = scaleBar(pixelsPerLength, 110 * unit);
  context.fillRect(width - 18 * unit - bar.pixels, height - 22 * unit, bar.pixels, 2.5 * unit);
  context.textAlign = "right";
  context.fillText(short(bar.length), width - 18 * unit, height - 30 * unit);
  context.textAlign = "left";
  paintLegend(context, tint, space, 18 * unit, height - 22 * unit, unit, ink);
  context.restore();
}

function paintLegend(context: CanvasRenderingContext2D, tint: Tint, space: boolean, x: number, y: number, unit: number, ink: string): void {
  if (tint.quantity.kind === "none") return;
  const at = ramp(tint, space);
  if (!at) {
    const list = labels(tint, space);
    list.forEach(({ colour, label }, k) => {
      const row = y - (list.length - 1 - k) * 19 * unit;
      context.fillStyle = colour;
      context.fillRect(x, row - 10 * unit, 11 * unit, 11 * unit);
      context.fillStyle = ink;
      context.fillText(label, x + 18 * unit, row);
    });
    return;
  }
  const wide = 180 * unit;
  for (let k = 0; k < 90; k++) {
    context.fillStyle = at(k / 89);
    context.fillRect(x + (k * wide) / 90, y - 26 * unit, wide / 90 + 1, 9 * unit);
  }
  context.fillStyle = ink;
  context.fillText(title(tint), x, y - 34 * unit);
  const marks = ticks(tint, space);
  marks.forEach((each, k) => {
    context.textAlign = k === 0 ? "left" : k === marks.length - 1 ? "right" : "center";
    context.fillText(each, x + (k * wide) / (marks.length - 1), y);
  });
}
