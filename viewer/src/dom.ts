// Elements of the page. Text is always set as text: nothing that a run holds can become markup.

type Child = Node | string | null | undefined;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, facts: Record<string, string | boolean | number> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(facts)) {
    if (value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((each): each is Node | string => each !== null && each !== undefined));
  return element;
}

const NAMESPACE = "http://www.w3.org/2000/svg";

/** A small drawing from the path of its strokes. */
export function icon(path: string, filled = false): SVGSVGElement {
  const drawing = document.createElementNS(NAMESPACE, "svg");
  drawing.setAttribute("viewBox", "0 0 20 20");
  drawing.setAttribute("aria-hidden", "true");
  const stroke = document.createElementNS(NAMESPACE, "path");
  stroke.setAttribute("d", path);
  if (filled) drawing.classList.add("filled");
  drawing.append(stroke);
  return drawing;
}

export const ICONS = {
  play: "M6 3.5v13l11-6.5z",
  pause: "M5 3.5h3.5v13H5zM11.5 3.5H15v13h-3.5z",
  back: "M13 4l-6 6 6 6",
  forward: "M7 4l6 6-6 6",
  chart: "M3 3v14h14M6 13l3.5-4 3 2.5L17 6",
  sliders: "M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4",
  camera: "M3 6.5h3L7.5 4.5h5L14 6.5h3v9H3zM10 13.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  film: "M3 4.5h14v11H3zM6 4.5v11M14 4.5v11M3 8h3M3 12h3M14 8h3M14 12h3",
  moon: "M15.5 12A6.5 6.5 0 0 1 8 4.5a6.5 6.5 0 1 0 7.5 7.5z",
  home: "M3.5 9.5L10 4l6.5 5.5M5.5 8v8h9V8",
  close: "M5 5l10 10M15 5L5 15",
};

export function button(label: string, path: string | null, act: () => void, title = label, filled = false): HTMLButtonElement {
  const made = make("button", { type: "button", title, "aria-label": title });
  if (path) made.append(icon(path, filled));
  else made.append(label);
  made.addEventListener("click", act);
  return made;
}

/** A row of choices, of which one is on. */
export function choices<T extends string>(label: string, names: readonly T[], now: () => T, act: (name: T) => void) {
  const group = make("div", { class: "choices", role: "group", "aria-label": label });
  const refresh = () => [...group.children].forEach((each, k) => each.setAttribute("aria-pressed", String(names[k] === now())));
  for (const name of names) {
    group.append(
      button(name, null, () => {
        act(name);
        refresh();
      }),
    );
  }
  refresh();
  return { element: make("div", { class: "row" }, make("span", {}, label), group), refresh };
}

export function toggle(label: string, now: () => boolean, act: (on: boolean) => void) {
  const box = make("input", { type: "checkbox" });
  const refresh = () => (box.checked = now());
  box.addEventListener("change", () => act(box.checked));
  refresh();
  return { element: make("label", { class: "toggle" }, box, make("span", {}, label)), refresh, box };
}

export function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(2).replace("e+", "e") : String(Number(value.toPrecision(4)));
}
