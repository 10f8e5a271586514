// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// The builders of the npm packages use this module to make their archives.

import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const license = fileURLToPath(new URL("../LICENSE", import.meta.url));

/**
 * Packs a package into the folder out. description is its package.json. files has the other files by their
 * name in the package: each is a path or a Buffer with the content. A path can be that of a folder. programs
 * has the paths of programs. Returns the path of the archive. The bytes of the archive do not depend on the user, on the folder or on the
 * time.
 */
export function pack(out, description, files, programs = {}) {
  const staged = mkdtempSync(join(tmpdir(), "dovetail-pack-"));
  try {
    const text = Buffer.from(JSON.stringify(description, null, 2) + "\n");
    for (const [name, file] of Object.entries({ LICENSE: license, ...files, "package.json": text })) {
      if (Buffer.isBuffer(file)) {
        writeFileSync(join(staged, name), file);
      } else {
        cpSync(file, join(staged, name), { recursive: true });
      }
    }
    for (const entry of readdirSync(staged, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())) {
      chmodSync(join(entry.parentPath ?? entry.path, entry.name), 0o644);
    }
    for (const [name, path] of Object.entries(programs)) {
      copyFileSync(path, join(staged, name));
      chmodSync(join(staged, name), 0o755);
    }
    mkdirSync(out, { recursive: true });
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const printed = execFileSync(npm, ["pack", "--silent", "--pack-destination", resolve(out)], { cwd: staged, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });
    return join(out, printed.trim().split("\n").at(-1)); // npm prints the name of the archive
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}
