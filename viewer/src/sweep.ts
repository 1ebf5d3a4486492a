// A sweep: its table, and any two of its columns against each other. A row leads to its run.

import { category, css } from "./colours";
import { make, short } from "./dom";

type Cell = string | number | boolean | null;

export interface Sweep {
  title: string;
  columns: string[];
  units: Record<string, string>;
  parameters: string[];
  varied: string[];
  results: string[];
  rows: Record<string, Cell>[];
  shown: number[];
}

const NAMESPACE = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, LEFT, BELOW, EDGE] = [640, 360, 66, 44, 14];
const HIDDEN = new Set(["name", "message"]);

export function showSweep(root: HTMLElement, sweep: Sweep): void {
  document.title = `${sweep.title} – clast`;
  document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const numeric = sweep.columns.filter((name) => sweep.rows.some((row) => typeof row[name] === "number"));
  const select = (label: string, chosen: string) => {
    const made = make("select", { "aria-label": label }, ...numeric.map((name) => make("option", { value: name }, titled(sweep, name))));
    made.value = chosen;
    made.addEventListener("change", draw);
    return made;
  };
  const plot = document.createElementNS(NAMESPACE, "svg");
  const varies = (name: string) => new Set(sweep.rows.map((row) => row[name])).size > 1;
  const first = (names: string[]) => names.find((each) => numeric.includes(each) && varies(each));
  const draw = () => scatter(plot, sweep, across.value, up.value);
  const across = select("across", first(sweep.varied) ?? numeric[0] ?? "");
  const up = select("up", first(sweep.results) ?? numeric[numeric.length - 1] ?? "");
  plot.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  plot.classList.add("scatter");
  const axes = make("p", { class: "axes" }, up, make("span", {}, " against "), across);
  root.className = "sweep";
  root.replaceChildren(make("h1", {}, `sweep ${sweep.title}`), axes, plot, table(sweep));
  draw();
}

function titled(sweep: Sweep, name: string): string {
  return sweep.units[name] ? `${name} [${sweep.units[name]}]` : name;
}

function open(row: Cell): void {
  location.href = `run/${row}/`;
}

function element(name: string, facts: Record<string, string | number>, text = ""): SVGElement {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(facts)) made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}

function scatter(plot: SVGSVGElement, sweep: Sweep, x: string, y: string): void {
  const rows = sweep.rows.filter((row) => typeof row[x] === "number" && typeof row[y] === "number");
  plot.replaceChildren();
  if (!rows.length) {
    plot.append(element("text", { x: WIDTH / 2, y: HEIGHT / 2, "text-anchor": "middle" }, "nothing measured yet"));
    return;
  }
  const span = (name: string) => {
    const values = rows.map((row) => row[name] as number);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = 0.06 * (high - low) || 0.5 * Math.abs(high) || 1;
    return [low - room, high + room];
  };
  const [x0, x1] = span(x);
  const [y0, y1] = span(y);
  const px = (value: number) => LEFT + ((value - x0) / (x1 - x0)) * (WIDTH - LEFT - EDGE);
  const py = (value: number) => HEIGHT - BELOW - ((value - y0) / (y1 - y0)) * (HEIGHT - BELOW - EDGE);
  for (let k = 0; k <= 4; k++) {
    const [vx, vy] = [x0 + (k / 4) * (x1 - x0), y0 + (k / 4) * (y1 - y0)];
    plot.append(element("line", { x1: LEFT, x2: WIDTH - EDGE, y1: py(vy), y2: py(vy) }));
    plot.append(element("line", { x1: px(vx), x2: px(vx), y1: EDGE, y2: HEIGHT - BELOW }));
    plot.append(element("text", { x: LEFT - 6, y: py(vy) + 4, "text-anchor": "end" }, short(vy)));
    plot.append(element("text", { x: px(vx), y: HEIGHT - BELOW + 16, "text-anchor": k === 4 ? "end" : "middle" }, short(vx)));
  }
  plot.append(element("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, titled(sweep, x)));
  for (const row of rows) {
    const point = element("circle", { cx: px(row[x] as number), cy: py(row[y] as number), r: 6, fill: css(category(0)) });
    point.append(element("title", {}, `row ${row.row}: ${x} = ${row[x]}, ${y} = ${row[y]}`));
    if (sweep.shown.includes(row.row as number)) {
      point.classList.add("open");
      point.addEventListener("click", () => open(row.row));
    }
    plot.append(point);
  }
}

function table(sweep: Sweep): HTMLElement {
  const constant = new Set(sweep.parameters.filter((each) => !sweep.varied.includes(each)));
  const columns = sweep.columns.filter((each) => !constant.has(each) && !HIDDEN.has(each));
  const head = make("tr", {}, ...columns.map((name) => make("th", {}, titled(sweep, name))));
  const rows = sweep.rows.map((row) => {
    const cells = columns.map((name) => {
      const value = row[name];
      const text = typeof value === "number" ? short(value) : value === null ? "–" : String(value);
      const linked = name === "row" && sweep.shown.includes(row.row as number);
      return make("td", {}, linked ? make("a", { href: `run/${row.row}/` }, text) : text);
    });
    return make("tr", {}, ...cells);
  });
  return make("div", { class: "table" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
}
