// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Builds the archives of the npm packages in dist: the package, and one with the program for each
// given platform. It needs npm and no network.
//
//   node build.mjs linux-x64=FILE...     the programs, by platform
//     --version 0.2.0                    the version of the packages; 0.0.0 if not given
//     --out DIR                          another folder for the archives

import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const description = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const prefix = `${description.name}-`;
const platforms = Object.keys(description.optionalDependencies).map((name) => name.slice(prefix.length));

const { values, positionals } = parseArgs({ allowPositionals: true, options: {
  version: { type: "string", default: "0.0.0" },
  out: { type: "string", default: join(here, "dist") },
} });
const programs = positionals.map((argument) => {
  const [platform, ...file] = argument.split("=");
  if (!platforms.includes(platform) || file.length === 0) {
    throw new Error(`${argument}: want PLATFORM=FILE, with one of the platforms ${platforms.join(", ")}`);
  }
  return { platform, file: file.join("=") };
});
const out = resolve(values.out);
const staged = join(out, "staged");
rmSync(out, { recursive: true, force: true });

for (const { platform, file } of programs) {
  const [os, cpu] = platform.split("-");
  const program = os === "win32" ? "dovetail.exe" : "dovetail";
  const directory = join(staged, platform);
  mkdirSync(directory, { recursive: true });
  copyFileSync(file, join(directory, program));
  chmodSync(join(directory, program), 0o755);
  copyFileSync(join(root, "LICENSE"), join(directory, "LICENSE"));
  write(join(directory, "package.json"), {
    name: prefix + platform, version: values.version, license: description.license,
    description: `The program dovetail for ${platform}, which ${description.name} starts.`,
    os: [os], cpu: [cpu], files: [program], preferUnplugged: true,
  });
  writeFileSync(join(directory, "README.md"), `The program \`dovetail\` for ${platform}. Install \`${description.name}\`, which starts it.\n`);
  pack(directory);
}

const main = join(staged, "main");
for (const name of [...description.files, "README.md"]) {
  cpSync(join(here, name), join(main, name));
}
copyFileSync(join(root, "LICENSE"), join(main, "LICENSE"));
const { scripts, ...published } = description;
published.version = values.version;
for (const name of Object.keys(published.optionalDependencies)) {
  published.optionalDependencies[name] = values.version;
}
write(join(main, "package.json"), published);
pack(main);
rmSync(staged, { recursive: true });

function write(file, value) {
  writeFileSync(file, JSON.stringify(value, null, 2) + "\n");
}

function pack(directory) {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  execFileSync(npm, ["pack", "--silent", "--pack-destination", out], { cwd: directory, stdio: ["ignore", "ignore", "inherit"] });
}
