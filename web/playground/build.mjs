// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Builds the site. It needs Go and Node. The first run installs the packages of package-lock.json.
//
//   node build.mjs
//     --out DIR      the folder for the site; dist if not given
//     --no-engine    uses the engine that web/engine/build.mjs has built

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { install, licenses, run, writeStyle } from "../common/build.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const engine = join(here, "../engine");
const { values } = parseArgs({ options: { out: { type: "string", default: join(here, "dist") }, "no-engine": { type: "boolean" } } });
const dist = resolve(values.out);

install(here);
if (!values["no-engine"]) {
  run("node", ["build.mjs"], engine);
}
const { build } = await import("esbuild");
const { examples } = await import("./examples.mjs");
const { caseGroups, fileOfGroup } = await import("./cases.mjs");

rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, "cases"), { recursive: true });
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
cpSync(join(here, "index.html"), join(dist, "index.html"));
writeStyle(here, join(dist, "style.css"));
writeFileSync(join(dist, "examples.json"), JSON.stringify(examples().map(({ id, group, state }) => ({ id, group, state }))));
for (const group of caseGroups()) {
  writeFileSync(join(dist, "cases", `${group.name}.json`), JSON.stringify(fileOfGroup(group)));
}
cpSync(join(engine, "dist/engine.wasm"), join(dist, "engine.wasm"));
cpSync(join(engine, "dist/releases"), join(dist, "releases"), { recursive: true });
// These are the packages whose code is in app.js.
const names = new Set(Object.keys(metafile.inputs).map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean));
writeFileSync(join(dist, "LICENSES.txt"), `This page contains Dovetail:

${readFileSync(join(here, "../../LICENSE"), "utf8").trim()}

It contains these npm packages:

${licenses(here, [...names])}
The engine contains Go and these modules:

${readFileSync(join(engine, "dist/LICENSES.txt"), "utf8")}`);
