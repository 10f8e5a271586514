// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

const { execFileSync } = require("node:child_process");
const { dirname, join } = require("node:path");
const { useServer, useSharedServer } = require("@dovetail-ssa/testserver/jest");
const { find } = require("@dovetail-ssa/testserver");

const server = useServer();
const urls = new Set();
const shared = useSharedServer();
const sharedUrls = new Set();

// The program is also a client.
for (const n of [1, 2]) {
  test(`a server of its own, ${n}`, () => {
    urls.add(server.token);
    expect(urls.size).toBe(n);
    expect(sharedUrls.add(shared.url).size).toBe(1);
    const apply = () => execFileSync(find(), ["apply", "-f", "-", "--field-manager", "jest", "--write", "--yes", "--undo", join(dirname(server.kubeconfig), "undo"), "--kubeconfig", server.kubeconfig], {
      input: '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}', encoding: "utf8", stdio: ["pipe", "pipe", "pipe"],
    });
    expect(apply()).toMatch(/written/);
  });
}
