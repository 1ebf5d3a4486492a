// Builds src/main.ts into two files that go into the wheel, viewer.js and viewer.css. The first line of viewer.js holds a hash of
// all sources, by which a test notices a bundle that was not built again; `sources_hash` in tests/tools/viewer_sources.py is the
// same in Python.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

const here = import.meta.dirname;

function sourcesHash() {
  const names = readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(here.length + 1).replaceAll("\\", "/"));
  const digest = createHash("sha256");
  for (const name of [...names, "package-lock.json", "tsconfig.json", "vite.config.mjs"].sort()) {
    digest.update(name + "\0").update(readFileSync(join(here, name), "utf8").replaceAll("\r\n", "\n") + "\0");
  }
  return digest.digest("hex");
}

export default defineConfig({
  build: {
    outDir: join(here, "../src/clast/output/viewer/bundle"),
    emptyOutDir: false,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: {
      input: join(here, "src/main.ts"),
      output: { format: "iife", entryFileNames: "viewer.js", assetFileNames: "viewer.[ext]" },
    },
  },
  plugins: [
    {
      name: "stamp",
      enforce: "post",
      generateBundle(_, bundle) {
        const licences = ["three", "uplot"].map((each) => `${each}\n\n${readFileSync(join(here, "node_modules", each, "LICENSE"), "utf8")}`);
        this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: licences.join("\n\n") });
        const chunk = bundle["viewer.js"];
        // the page holds the script inside its own text: nothing in it may look like the end of that
        chunk.code = `/* sources ${sourcesHash()} */\n${chunk.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--")}`;
      },
    },
  ],
});
