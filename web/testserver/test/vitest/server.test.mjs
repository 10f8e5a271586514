// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

import { CoreV1Api, CustomObjectsApi, KubeConfig } from "@kubernetes/client-node";
import { test, testWithServer } from "@dovetail-ssa/testserver/vitest";
import { expect } from "vitest";

function client(server, api) {
  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  return config.makeApiClient(api);
}

const body = { metadata: { name: "a" } };

// Each test can create the object, because no test sees the objects of another one.
for (const n of [1, 2]) {
  test(`a server of its own, ${n}`, async ({ server }) => {
    const core = client(server, CoreV1Api);
    expect((await core.listNamespacedConfigMap({ namespace: "default" })).items).toEqual([]);
    await core.createNamespacedConfigMap({ namespace: "default", body });
    await expect(core.createNamespacedConfigMap({ namespace: "default", body })).rejects.toMatchObject({ code: 409 });
  });
}

testWithServer({ crds: "crd.yaml", kubernetesVersion: "1.36" })("options", async ({ server }) => {
  const widgets = { group: "example.com", version: "v1", namespace: "default", plural: "widgets" };
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec: {} };
  const stored = await client(server, CustomObjectsApi).createNamespacedCustomObject({ ...widgets, body: widget });
  expect(stored.spec).toEqual({ size: 1 });
});
