// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Generates the files of the package in dist. It needs Go, but no network.
//
//   node build.mjs
//     --version 0.2.0    the version of the package; 0.0.0 if not given
//     --out DIR          also packs the package, and writes the archive to this folder; needs npm

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { pack } from "../pack.mjs";

const { values } = parseArgs({ options: { version: { type: "string", default: "0.0.0" }, out: { type: "string" } } });
const here = fileURLToPath(new URL(".", import.meta.url));
// Create files in this directory, and then move them to dist one by one. Programs that read dist
// meanwhile find only complete files.
const dist = join(here, `.dist-${process.pid}`);
const commands = join(here, "../../cmd");

function go(args, env = {}) {
  return execFileSync("go", args, { cwd: commands, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] }).toString().trim();
}

const tags = ["-tags", "slim,releasesondemand"];
const platform = { GOOS: "js", GOARCH: "wasm" };

mkdirSync(dist, { recursive: true });
go(["build", "-trimpath", ...tags, "-ldflags", "-s -w", "-o", join(dist, "engine.wasm"), "./dovetail-engine"], platform);

// Convert Go's wasm_exec.js to a module. The parameters hide global names, so that it changes no global
// state.
const glue = readFileSync(join(go(["env", "GOROOT"]), "lib/wasm/wasm_exec.js"), "utf8");
writeFileSync(join(dist, "wasm_exec.js"), `export default function (globalThis, setTimeout) {\n${glue}\nreturn globalThis.Go;\n}\n`);

writeFileSync(join(dist, "version.js"), `export const version = ${JSON.stringify(values.version)};\n`);

// Write one file for each release. The engine loads the file when the release is first used.
const releases = join(here, "../../kube/internal/releases");
mkdirSync(join(dist, "releases"), { recursive: true });
for (const folder of readdirSync(releases).filter((name) => /^\d+\.\d+$/.test(name))) {
  const files = readdirSync(join(releases, folder)).filter((name) => name !== "release.txt").flatMap((name) => {
    const text = readFileSync(join(releases, folder, name));
    return [Buffer.from(`${name} ${text.length}\n`), text];
  });
  writeFileSync(join(dist, "releases", `${folder}.gz`), gzipSync(Buffer.concat(files), { level: 9 }));
}

// Collect the licenses of Go and of all modules in the program.
const modules = new Map([["Go", go(["env", "GOROOT"])]]);
for (const line of go(["list", ...tags, "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}", "./dovetail-engine"], platform).split("\n")) {
  const [path, version, folder] = line.split("\t");
  if (path && !path.startsWith("github.com/dovetail-ssa/dovetail")) {
    modules.set(`${path} ${version}`, folder);
  }
}
const texts = [...modules].sort().map(([name, folder]) => {
  const files = readdirSync(folder).filter((file) => /^(LICENSE|LICENCE|COPYING|NOTICE)/i.test(file));
  if (files.length === 0) {
    throw new Error(`${name} has no license in ${folder}`);
  }
  return `${name}\n\n${files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n")}`;
});
writeFileSync(join(dist, "LICENSES.txt"), texts.join(`\n${"=".repeat(80)}\n\n`));

mkdirSync(join(here, "dist/releases"), { recursive: true });
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())) {
  const file = join(entry.parentPath ?? entry.path, entry.name);
  renameSync(file, join(here, "dist", file.slice(dist.length)));
}
rmSync(dist, { recursive: true });

if (values.out !== undefined) {
  const { scripts, devDependencies, ...published } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
  const files = [...published.files, "README.md"].map((name) => [name, join(here, name)]);
  pack(values.out, { ...published, version: values.version }, Object.fromEntries(files));
}
