// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { pack } from "../pack.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const description = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const prefix = `${description.name}-`;
const platforms = Object.keys(description.optionalDependencies).map((name) => name.slice(prefix.length));

const usage = `Builds the archives of the npm packages: the package, and one with the program for each given platform.
It prints the paths of the archives. It needs npm and no network.

  node build.mjs PLATFORM=FILE...      the programs, by platform
    --version 0.2.0                    the version of the packages; 0.0.0 if not given
    --out DIR                          the folder for the archives; dist in the folder of this script if not given
    --help                             print this text

Platforms: ${platforms.join(", ")}
`;

/** Prints why the command line is wrong, and exits. */
function fail(message) {
  console.error(`build.mjs: ${message}; --help explains the arguments`);
  process.exit(2);
}

/** Returns the values and the positional arguments of the command line. */
function commandLine() {
  try {
    return parseArgs({ allowPositionals: true, options: {
      version: { type: "string", default: "0.0.0" },
      out: { type: "string" },
      help: { type: "boolean", short: "h" },
    } });
  } catch (error) {
    return fail(error.message);
  }
}

const { values, positionals } = commandLine();
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const programs = positionals.map((argument) => {
  const [platform, ...file] = argument.split("=");
  if (!platforms.includes(platform) || file.length === 0) {
    fail(`${argument}: want PLATFORM=FILE, with one of the platforms ${platforms.join(", ")}`);
  }
  if (!existsSync(file.join("="))) {
    fail(`${file.join("=")}: there is no such file`);
  }
  return { platform, file: file.join("=") };
});
let out = values.out;
if (out === undefined) {
  out = join(here, "dist");
  rmSync(out, { recursive: true, force: true }); // it may contain archives of another version
}

for (const { platform, file } of programs) {
  const [os, cpu] = platform.split("-");
  const program = os === "win32" ? "dovetail.exe" : "dovetail";
  const readme = Buffer.from(`The program \`dovetail\` for ${platform}. Install \`${description.name}\`, which starts it.\n`);
  console.log(pack(out, {
    name: prefix + platform, version: values.version, license: description.license, repository: description.repository,
    description: `The program dovetail for ${platform}, which ${description.name} starts.`,
    os: [os], cpu: [cpu], files: [program], preferUnplugged: true,
  }, { "README.md": readme }, { [program]: file }));
}

const { scripts, ...published } = description;
published.version = values.version;
for (const name of Object.keys(published.optionalDependencies)) {
  published.optionalDependencies[name] = values.version;
}
console.log(pack(out, published, Object.fromEntries([...description.files, "README.md"].map((name) => [name, join(here, name)]))));
