// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// node build.mjs generates the files of the package in dist. It needs Go, but no network.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";

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

const { version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
writeFileSync(join(dist, "version.js"), `export const version = ${JSON.stringify(version)};\n`);

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

// Collect the licenses of this package, of Go, and of all modules in the program.
copyFileSync(join(here, "../../LICENSE"), join(here, "LICENSE"));
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
