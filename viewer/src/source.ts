// Where the page gets a run from: from inside the file it was saved in, or from the server on this machine.

import { type Block, unpack } from "./blocks";

export interface Facts {
  title: string;
  folder: string;
  space: boolean;
  finished: boolean;
  times: number[];
  steps: number[];
  per_block: number;
  blocks: number;
  bodies: number;
  period: number[];
  gravity: number[];
  view: [number[], number[]];
  small: number;
  scales: Record<string, number>;
  names: string[];
  shapes: string[];
  contacts: boolean;
  result: Record<string, number>;
  live?: boolean;
  held?: boolean;
  stepped?: boolean; // a simulation, stepped by a script or notebook
  issue?: number; // another one: what was read before no longer holds
  go_on?: string; // command that resumes a run which was stopped; empty where there is none
  resumable?: boolean; // whether the server may start it
  starting?: boolean;
  failure?: string; // of such a start
}

export type Wish = "hold" | "go" | "save" | "resume";

export interface Source {
  facts(): Promise<Facts>;
  block(number: number, count: number): Promise<Block>;
  bodies(): Promise<Block>;
  series(): Promise<Block>;
  /** Quantities of a body over all frames; null where the page has to collect them itself. */
  history(body: number): Promise<Block | null>;
  /** What a running run is asked to do; null where there is nobody to ask. */
  wish: ((what: Wish) => Promise<void>) | null;
}

/** Bytes of base64 text that stands in an element of the page. */
function inside(id: string): Uint8Array {
  const text = atob(document.getElementById(id)!.textContent!.trim());
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return bytes;
}

export class SavedPage implements Source {
  wish = null;
  async facts(): Promise<Facts> {
    return JSON.parse(document.getElementById("clast-facts")!.textContent!);
  }
  block(number: number): Promise<Block> {
    return unpack(inside(`clast-block-${number}`));
  }
  bodies(): Promise<Block> {
    return unpack(inside("clast-bodies"));
  }
  series(): Promise<Block> {
    return unpack(inside("clast-series"));
  }
  async history(): Promise<null> {
    return null;
  }
}

export class Served implements Source {
  private async bytes(path: string): Promise<Uint8Array> {
    const answer = await fetch(path, { cache: "no-store" });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return new Uint8Array(await answer.arrayBuffer());
  }
  async facts(): Promise<Facts> {
    return JSON.parse(new TextDecoder().decode(await this.bytes("facts")));
  }
  async block(number: number, count: number): Promise<Block> {
    return unpack(await this.bytes(`block/${number}?frames=${count}`));
  }
  async bodies(): Promise<Block> {
    return unpack(await this.bytes("bodies"));
  }
  async series(): Promise<Block> {
    return unpack(await this.bytes("series"));
  }
  async history(body: number): Promise<Block> {
    return unpack(await this.bytes(`history/${body}`));
  }
  wish = async (what: Wish): Promise<void> => {
    const answer = await fetch("wish", { method: "POST", body: what });
    if (!answer.ok) throw new Error(await answer.text());
  };
}
