// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// The package uses CommonJS, because Jest loads ES modules only with an experimental flag of Node.
"use strict";

const { spawn } = require("node:child_process");
const { randomBytes } = require("node:crypto");
const { existsSync, rmSync } = require("node:fs");
const { mkdtemp, readFile, rm } = require("node:fs/promises");
const { tmpdir } = require("node:os");
const { delimiter, join } = require("node:path");

/** The options of start. */
const known = ["args", "crds", "kubernetesVersion", "native", "program", "store", "timeout"];

/** The folders of running servers. If the process exits before it stops them, it removes the folders. */
const folders = new Set();
process.once("exit", () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Starts a server, and resolves when it answers requests. */
async function start(options = {}) {
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new TypeError(`unknown option ${name}: want some of ${known.join(", ")}`);
    }
  }
  const { args: flags = [], crds = [], kubernetesVersion, native, program = find(), store, timeout = 30_000 } = options;
  if (!Array.isArray(flags)) {
    throw new TypeError(`args: write a list of flags, such as [${JSON.stringify(flags)}]`);
  }
  const files = [crds].flat();
  if (files.some((file) => typeof file !== "string")) {
    throw new TypeError("crds: want paths of files or folders: create the CustomResourceDefinition in the test, or write it to a file");
  }
  const directory = await mkdtemp(join(tmpdir(), "dovetail-testserver-"));
  folders.add(directory);
  const kubeconfig = join(directory, "kubeconfig");
  const token = randomBytes(16).toString("hex");
  const args = ["serve", "--until-eof", "--tls", "--token", token, "--kubeconfig-out", kubeconfig];
  for (const file of files) {
    args.push("--crd", file);
  }
  if (kubernetesVersion) {
    args.push("--kubernetes-version", kubernetesVersion);
  }
  if (native) {
    args.push("--native", native);
  }
  if (store) {
    args.push("--store", store);
  }
  args.push(...flags);
  // The server stops when its standard input ends, which the system closes if this process dies.
  const child = spawn(program, args, { stdio: ["pipe", "ignore", "pipe"] });
  const ended = new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ? `it was ended by ${signal}` : `its exit status is ${code}`));
  });
  child.stdin.on("error", () => {}); // the server has ended already
  let running = true;
  ended.then(() => { running = false; });
  const stop = async () => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(timer);
    await rm(directory, { recursive: true, force: true });
    folders.delete(directory);
  };
  let messages = "";
  try {
    const url = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`dovetail serve did not start within ${timeout} ms\n${messages}`)), timeout);
      child.stderr.setEncoding("utf8");
      child.stderr.on("data", (text) => {
        messages += text;
        const ready = messages.match(/^serving on (\S+)$/m);
        if (ready) {
          clearTimeout(timer);
          resolve(ready[1]);
        }
      });
      // "close" follows the last message.
      const failed = () => {
        clearTimeout(timer);
        ended.then((why) => reject(new Error(`dovetail serve did not start: ${why}\n${messages}`)));
      };
      child.once("error", failed);
      child.once("close", failed);
    });
    const text = await readFile(kubeconfig, "utf8");
    const ca = Buffer.from(text.match(/certificate-authority-data: (\S+)/)[1], "base64").toString();
    // The server must not keep a test run alive that forgot to stop it.
    child.unref();
    child.stdin.unref();
    child.stderr.unref();
    return {
      url, token, ca, kubeconfig,
      env: { KUBECONFIG: kubeconfig },
      get running() { return running; },
      get messages() { return messages; },
      stop,
      [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the path of the program dovetail. */
function find() {
  if (process.env.DOVETAIL) {
    return process.env.DOVETAIL;
  }
  const name = process.platform === "win32" ? "dovetail.exe" : "dovetail";
  const platform = `@dovetail-ssa/testserver-${process.platform}-${process.arch}`;
  try {
    return require.resolve(`${platform}/${name}`);
  } catch {
    // Not installed: npm skips optional dependencies that it cannot install.
  }
  for (const directory of (process.env.PATH ?? "").split(delimiter)) {
    if (directory && existsSync(join(directory, name))) {
      return join(directory, name);
    }
  }
  throw new Error(`the program dovetail is missing: install ${platform}, add dovetail to PATH, or set DOVETAIL to its path`);
}

module.exports = { start, find };
