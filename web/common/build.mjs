// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// The builds of the playground and of the site use these functions.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Runs a program in a folder, and shows its output. */
export const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: "inherit" });

/** Installs the packages of package-lock.json in a folder, unless they are installed. */
export function install(folder) {
  if (!existsSync(join(folder, "node_modules"))) {
    run("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], folder);
  }
}

/** Returns the licenses of packages that are installed in a folder. */
export function licenses(folder, names) {
  return names.sort().map((name) => {
    const path = join(folder, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
    const file = readdirSync(path).find((f) => /^licen[cs]e/i.test(f));
    if (!file) {
      throw new Error(`${name} has no license file`);
    }
    return `---- ${name} ${version}, ${license}\n\n${readFileSync(join(path, file), "utf8").trim()}\n`;
  }).join("\n");
}

/** Writes the style sheet of a folder, which begins with the rules of all pages. */
export function writeStyle(folder, file) {
  writeFileSync(file, readFileSync(join(here, "base.css"), "utf8") + readFileSync(join(folder, "style.css"), "utf8"));
}
