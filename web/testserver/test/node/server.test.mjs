// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:https";
import { describe, test } from "node:test";
import { find, start } from "@dovetail-ssa/testserver";
import { useServer, useSharedServer } from "@dovetail-ssa/testserver/node-test";

/** Returns the status of a GET request. */
function get(server, path, token = server.token) {
  return new Promise((resolve, reject) => {
    request(server.url + path, { ca: server.ca, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject).end();
  });
}

test("the program is that of the platform package", () => {
  assert.match(find(), /node_modules.@dovetail-ssa.testserver-/);
});

test("start and stop", async () => {
  const server = await start({ crds: ["crd.yaml"] });
  assert.equal(server.running, true);
  assert.equal(await get(server, "/api/v1/namespaces/default"), 200);
  assert.equal(await get(server, "/apis/example.com/v1/widgets"), 200);
  assert.equal(await get(server, "/api/v1/namespaces/default", "wrong"), 401);
  assert.match(readFileSync(server.kubeconfig, "utf8"), new RegExp(`token: "?${server.token}`));
  await server.stop();
  await server.stop();
  assert.equal(server.running, false);
  assert.equal(existsSync(server.kubeconfig), false);
  await assert.rejects(get(server, "/readyz"), { code: "ECONNREFUSED" });
});

test("errors name the cause", async () => {
  await assert.rejects(start({ crds: "missing.yaml" }), /missing\.yaml/);
  await assert.rejects(start({ kubernetesVersion: "1.2" }), /1\.2/);
  await assert.rejects(start({ native: "no-such-folder" }), /--native: no-such-folder: there is no dovetail-native/);
  await assert.rejects(start({ program: "no-such-program" }), /no-such-program/);
  await assert.rejects(start({ crd: "crd.yaml" }), /unknown option crd: want some of args, crds/);
  await assert.rejects(start({ crds: [{ kind: "CustomResourceDefinition" }] }), /crds: want paths of files or folders/);
  await assert.rejects(start({ args: "--immutability-markers" }), /args: write a list of flags, such as \["--immutability-markers"\]/);
  await assert.rejects(start({ timeout: 0 }), /did not start within 0 ms/);
});

test("more flags", async () => {
  const server = await start({ args: ["--immutability-markers"] });
  assert.match(server.messages, /KEP-1101/);
  await server.stop();
});

test("a note says that validation is simple, but not in errors", async () => {
  const PATH = process.env.PATH;
  process.env.PATH = ""; // it may contain a native program
  try {
    for (const [options, note] of [[{}, true], [{ native: "off" }, false]]) {
      const server = await start(options);
      assert.equal(/^note: .*simple rules only/m.test(server.messages), note);
      await server.stop();
    }
    await assert.rejects(start({ crds: "missing.yaml" }), (error) => !/note:/.test(error.message));
  } finally {
    process.env.PATH = PATH;
  }
});

test("the server stops when its process is killed", async () => {
  const script = 'import { start } from "@dovetail-ssa/testserver"; const { url, token, ca } = await start(); console.log(JSON.stringify({ url, token, ca })); setInterval(() => {}, 1000);';
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const server = await new Promise((resolve) => child.stdout.once("data", (text) => resolve(JSON.parse(text))));
  assert.equal(await get(server, "/readyz"), 200);
  child.kill("SIGKILL");
  for (let i = 0; ; i++) {
    const gone = await get(server, "/readyz").then(() => false, (error) => error.code === "ECONNREFUSED");
    if (gone) {
      break;
    }
    assert.ok(i < 300, "the server runs after its process was killed");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});

test("a server that is not stopped does not keep the process alive", async () => {
  const script = 'import { start } from "@dovetail-ssa/testserver"; console.log((await start()).kubeconfig);';
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const kubeconfig = await new Promise((resolve) => child.stdout.once("data", (text) => resolve(String(text).trim())));
  assert.equal(await new Promise((resolve) => child.once("exit", resolve)), 0);
  assert.equal(existsSync(kubeconfig), false);
});

describe("hooks of node:test", () => {
  const tokens = new Set();
  const sharedTokens = new Set();
  const server = useServer();
  const shared = useSharedServer();
  for (const n of [1, 2]) {
    test(`servers of a test and of all tests, ${n}`, async () => {
      assert.equal(await get(server, "/readyz"), 200);
      assert.equal(await get(shared, "/readyz"), 200);
      assert.equal(tokens.add(server.token).size, n);
      assert.equal(sharedTokens.add(shared.token).size, 1);
    });
  }
});
