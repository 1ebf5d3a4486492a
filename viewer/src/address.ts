// The view in the address: whoever opens it sees the same.

export type Words = Record<string, string>;

export function readAddress(): Words {
  const words: Words = {};
  for (const part of location.hash.slice(1).split("&")) {
    const [name, value] = part.split("=", 2);
    if (!name || value === undefined) continue;
    try {
      words[name] = decodeURIComponent(value);
    } catch {
      // an address cut off in the middle of a letter
    }
  }
  return words;
}

let waiting = 0;

/** Put words into the address, at most a few times a second: browsers refuse more. */
export function writeAddress(words: () => Words): void {
  if (waiting) return;
  waiting = window.setTimeout(() => {
    waiting = 0;
    const text = Object.entries(words()).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    try {
      history.replaceState(null, "", `#${text.join("&")}`);
    } catch {
      // a page inside a notebook has no address of its own
    }
  }, 300);
}
