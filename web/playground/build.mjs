// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// node build.mjs builds the site in dist. It needs Go and Node. The first run installs the packages of
// package-lock.json.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const engine = join(here, "../engine");
const dist = join(here, "dist");
const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: "inherit" });

if (!existsSync(join(here, "node_modules"))) {
  run("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], here);
}
if (!process.argv.includes("--no-engine")) {
  run("node", ["build.mjs"], engine);
}
const { build } = await import("esbuild");
const { examples } = await import("./examples.mjs");

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
const { metafile } = await build({
  entryPoints: [join(here, "src/app.js")],
  outfile: join(dist, "app.js"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  external: ["node:*"],
  alias: { "@dovetail-ssa/engine": join(engine, "index.js") },
  legalComments: "none",
  metafile: true,
  absWorkingDir: here,
});
for (const name of ["index.html", "style.css"]) {
  cpSync(join(here, name), join(dist, name));
}
writeFileSync(join(dist, "examples.json"), JSON.stringify(examples().map(({ want, ...example }) => example)));
cpSync(join(engine, "dist/engine.wasm"), join(dist, "engine.wasm"));
cpSync(join(engine, "dist/releases"), join(dist, "releases"), { recursive: true });
writeFileSync(join(dist, "LICENSES.txt"), licenses(Object.keys(metafile.inputs)));

/** Returns the licenses of the bundled packages. */
function licenses(inputs) {
  const names = new Set(inputs.map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean));
  const texts = ["This page contains Dovetail (Apache-2.0) and these packages:\n"];
  for (const name of [...names].sort()) {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
    if (!file) {
      throw new Error(`${name} has no license file`);
    }
    texts.push(`---- ${name} ${version}, ${license}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`);
  }
  return texts.join("\n");
}
