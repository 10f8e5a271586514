// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Tests @kubernetes/client-node with a server of its own: the typed clients, the untyped one,
// apply with conflicts, patches, status, scale, watch and informer.
import assert from 'node:assert/strict';
import * as k8s from '@kubernetes/client-node';
import { start } from '@dovetail-ssa/testserver';

const server = await start();
const config = new k8s.KubeConfig();
config.loadFromFile(server.kubeconfig);
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const namespace = 'default';

const version = await config.makeApiClient(k8s.VersionApi).getCode();
assert.match(version.gitVersion, /^v1\./);

// An informer receives all of the following events.
const seen = [];
const informer = k8s.makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () => core.listNamespacedConfigMap({ namespace }));
for (const what of ['add', 'update', 'delete']) informer.on(what, (o) => seen.push(`${what} ${o.metadata.name}`));
let stopped = false; // after stop, the client reports that its watch was aborted
informer.on('error', (e) => { if (!stopped) throw e; });
await informer.start();

// Create, read, replace with an old version, list with a selector and pages.
const made = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a', labels: { app: 'x' } }, data: { k: '1' } }, fieldManager: 'node' });
assert.equal(made.metadata.managedFields[0].manager, 'node');
await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'b' } } });
made.data.k = '2';
const replaced = await core.replaceNamespacedConfigMap({ namespace, name: 'a', body: made });
assert.notEqual(replaced.metadata.resourceVersion, made.metadata.resourceVersion);
await assert.rejects(core.replaceNamespacedConfigMap({ namespace, name: 'a', body: { ...made, data: { k: '3' } } }), (e) => e.code === 409);
assert.equal((await core.listNamespacedConfigMap({ namespace, labelSelector: 'app=x' })).items.length, 1);
const page = await core.listNamespacedConfigMap({ namespace, limit: 1 });
assert.equal(page.items.length, 1);
assert.ok(page.metadata._continue);

// Apply, a conflict, force; fields that an apply gives up are removed.
const settings = (data) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied', namespace }, data });
const apply = (manager, data, force) => objects.patch(settings(data), undefined, undefined, manager, force, k8s.PatchStrategy.ServerSideApply);
await apply('one', { k: '1', l: '1' });
await assert.rejects(apply('two', { k: '2' }), (e) => e.code === 409 && /conflict with "one": \.data\.k/.test(JSON.parse(e.body).message));
assert.equal((await apply('two', { k: '2' }, true)).data.k, '2');
assert.deepEqual((await apply('one', { l: '1' })).data, { k: '2', l: '1' });
assert.deepEqual((await apply('two', {})).data, { l: '1' });

// Patches of three kinds, status and scale of a Deployment.
const labels = { app: 'web' };
await apps.createNamespacedDeployment({ namespace, body: { metadata: { name: 'web' }, spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i:1' }] } } } } });
const patch = (body, strategy) => apps.patchNamespacedDeployment({ namespace, name: 'web', body }, k8s.setHeaderOptions('Content-Type', strategy));
await patch([{ op: 'replace', path: '/spec/replicas', value: 2 }], k8s.PatchStrategy.JsonPatch);
await patch({ metadata: { annotations: { a: 'b' } } }, k8s.PatchStrategy.MergePatch);
const web = await patch({ spec: { template: { spec: { containers: [{ name: 'd', image: 'i:2' }] } } } }, k8s.PatchStrategy.StrategicMergePatch);
assert.deepEqual(web.spec.template.spec.containers.map((c) => c.name).sort(), ['c', 'd']);
assert.equal(web.spec.strategy.type, 'RollingUpdate');
const scale = await apps.readNamespacedDeploymentScale({ namespace, name: 'web' });
scale.spec.replicas = 5;
await apps.replaceNamespacedDeploymentScale({ namespace, name: 'web', body: scale });
const status = await apps.readNamespacedDeploymentStatus({ namespace, name: 'web' });
assert.equal(status.spec.replicas, 5);
status.status = { replicas: 5, observedGeneration: 3 };
assert.equal((await apps.replaceNamespacedDeploymentStatus({ namespace, name: 'web', body: status })).status.replicas, 5);

// A definition, and objects of it, through the untyped client.
await objects.create({
  apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com', scope: 'Namespaced', names: { kind: 'Widget', plural: 'widgets' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer', _default: 1, maximum: 10 } } } } } } }],
  },
});
const widget = (spec) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace }, spec });
assert.equal((await objects.create(widget({}))).spec.size, 1);
await assert.rejects(objects.patch(widget({ size: 11 }), undefined, undefined, undefined, undefined, k8s.PatchStrategy.MergePatch), (e) => e.code === 422);
assert.equal((await config.makeApiClient(k8s.CustomObjectsApi).listNamespacedCustomObject({ group: 'example.com', version: 'v1', namespace, plural: 'widgets' })).items.length, 1);

await core.deleteNamespacedConfigMap({ namespace, name: 'b' });
await assert.rejects(core.readNamespacedConfigMap({ namespace, name: 'b' }), (e) => e.code === 404);
for (let i = 0; i < 100 && !seen.includes('delete b'); i++) await new Promise((r) => setTimeout(r, 20));
for (const want of ['add a', 'update a', 'add b', 'add applied', 'delete b']) assert.ok(seen.includes(want), `${want} of ${seen}`);
stopped = true;
await informer.stop();
await server.stop();
console.log('all as from a server');
process.exit(0);
