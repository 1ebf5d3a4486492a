// Where the page begins.

import "./style.css";
import { App } from "./app";
import { make } from "./dom";
import { Run } from "./run";
import { SavedPage, Served } from "./source";
import { showSweep, type Sweep } from "./sweep";

declare global {
  interface Window {
    clast?: App; // for who wants to look inside
  }
}

async function begin(): Promise<void> {
  const root = document.getElementById("app")!;
  const source = document.getElementById("clast-facts") ? new SavedPage() : new Served();
  try {
    const facts = await source.facts();
    if ("sweep" in facts) {
      showSweep(root, facts.sweep as Sweep);
      return;
    }
    const run = new Run(source, facts);
    await run.open();
    document.title = `${run.facts.title} – clast`;
    root.replaceChildren();
    window.clast = new App(run, root);
  } catch (error) {
    root.replaceChildren(make("p", { class: "failure" }, `This run cannot be shown: ${error instanceof Error ? error.message : String(error)}`));
  }
}

void begin();
