// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Builds the site. It needs Go and Node. The first run installs the packages of package-lock.json.
//
//   node build.mjs
//     --out DIR      the folder for the site; dist if not given
//     --no-engine    uses the engine that web/engine/build.mjs has built

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = fileURLToPath(new URL(".", import.meta.url));
const engine = join(here, "../engine");
const { values } = parseArgs({ options: { out: { type: "string", default: join(here, "dist") }, "no-engine": { type: "boolean" } } });
const dist = resolve(values.out);
const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: "inherit" });

if (!existsSync(join(here, "node_modules"))) {
  run("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], here);
}
if (!values["no-engine"]) {
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

/** Returns the licenses of the bundled packages, and of Go and the modules in the engine. */
function licenses(inputs) {
  const names = new Set(inputs.map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean));
  const texts = [`This page contains Dovetail:\n\n${readFileSync(join(here, "../../LICENSE"), "utf8").trim()}\n`, "It contains these npm packages:\n"];
  for (const name of [...names].sort()) {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
    if (!file) {
      throw new Error(`${name} has no license file`);
    }
    texts.push(`---- ${name} ${version}, ${license}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`);
  }
  texts.push(`The engine contains Go and these modules:\n\n${readFileSync(join(engine, "dist/LICENSES.txt"), "utf8")}`);
  return texts.join("\n");
}
