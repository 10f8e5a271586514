// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Builds dist, the generated files of the package: node build.mjs. It needs Go and no network.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const dist = join(here, "dist");
const commands = join(here, "../../cmd");

function go(args, env = {}) {
  return execFileSync("go", args, { cwd: commands, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] }).toString().trim();
}

mkdirSync(dist, { recursive: true });
go(["build", "-trimpath", "-tags", "slim", "-ldflags", "-s -w", "-o", join(dist, "engine.wasm"), "./dovetail-engine"], { GOOS: "js", GOARCH: "wasm" });

// Go's own glue, as a module. The parameter hides the global object, so it changes nothing global.
const glue = readFileSync(join(go(["env", "GOROOT"]), "lib/wasm/wasm_exec.js"), "utf8");
writeFileSync(join(dist, "wasm_exec.js"), `export default function (globalThis) {\n${glue}\nreturn globalThis.Go;\n}\n`);

const { version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
writeFileSync(join(dist, "version.js"), `export const version = ${JSON.stringify(version)};\n`);
