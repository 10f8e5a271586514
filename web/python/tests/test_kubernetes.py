# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0

"""Tests the package kubernetes with the server of this package."""

import base64
import json
import unittest

import dovetail_testserver
import kubernetes
from kubernetes import client, config, dynamic, watch
from kubernetes.client.rest import ApiException

PAINTS = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "paints.example.com"},
    "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"kind": "Paint", "plural": "paints"},
        "versions": [{
            "name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": {"colour": {"type": "string", "enum": ["red", "blue"]}}},
                "status": {"type": "object", "properties": {"dry": {"type": "boolean"}}},
            }}},
        }],
    },
}


def config_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"of": "python"}}, "data": data}


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = dovetail_testserver.start()
        cls.addClassCleanup(cls.server.stop)
        config.load_kube_config(cls.server.kubeconfig)
        client.CoreV1Api().create_namespaced_config_map("kube-node-lease", config_map("a"))

    def setUp(self):
        self.core = client.CoreV1Api()

    def refused(self, status, call, *args, **kwargs):
        with self.assertRaises(ApiException) as caught:
            call(*args, **kwargs)
        self.assertEqual(caught.exception.status, status, caught.exception.body)
        return caught.exception.body

    def test_objects(self):
        one = self.core.create_namespaced_config_map("default", dict(config_map("one", a="1"), binaryData={"b": base64.b64encode(b"\0\xff").decode()}))
        self.assertEqual(base64.b64decode(one.binary_data["b"]), b"\0\xff")
        one.data["a"] = "2"
        self.core.replace_namespaced_config_map("one", "default", one)
        self.refused(409, self.core.replace_namespaced_config_map, "one", "default", one)
        self.assertEqual(self.core.patch_namespaced_config_map("one", "default", {"data": {"c": "3"}}).data, {"a": "2", "c": "3"})
        self.assertEqual(len(self.core.list_namespaced_config_map("default", label_selector="of=python", field_selector="metadata.name=one").items), 1)
        self.refused(400, self.core.create_namespaced_secret, "default", {"metadata": {"name": "bad"}, "data": {"q": "not base64!"}})
        self.core.delete_namespaced_config_map("one", "default")
        self.refused(404, self.core.read_namespaced_config_map, "one", "default")

    def test_pages(self):
        for i in range(5):
            self.core.create_namespaced_config_map("kube-public", config_map("page-%d" % i))
        first = self.core.list_namespaced_config_map("kube-public", limit=2)
        self.assertEqual((len(first.items), first.metadata.remaining_item_count), (2, 3))
        rest = self.core.list_namespaced_config_map("kube-public", _continue=first.metadata._continue)
        self.assertEqual(len(rest.items), 3)

    def test_watch(self):
        """The client sends watch=True, and continues an interrupted watch."""
        seen, w = [], watch.Watch()
        for event in w.stream(self.core.list_namespaced_config_map, "kube-node-lease", timeout_seconds=5):
            seen.append(event["type"] + " " + event["object"].metadata.name)
            if len(seen) == 2:
                w.stop()
            else:
                self.core.create_namespaced_config_map("kube-node-lease", config_map("b"))
        self.assertEqual(seen, ["ADDED a", "ADDED b"])

    def test_apply(self):
        api = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")

        def apply(manager, force=False, **data):
            body = config_map("applied", **data)
            if int(kubernetes.__version__.split(".")[0]) < 30:  # these versions accept the config of an apply only as text
                body = json.dumps(body)
            return api.patch(name="applied", namespace="default", body=body, field_manager=manager, force_conflicts=force,
                             content_type="application/apply-patch+yaml")
        apply("a", x="1")
        with self.assertRaises(ApiException) as caught:
            apply("b", x="2")
        self.assertEqual(caught.exception.status, 409)
        status = json.loads(caught.exception.body)
        self.assertEqual([(c["reason"], c["field"]) for c in status["details"]["causes"]], [("FieldManagerConflict", ".data.x")])
        apply("b", force=True, x="2")
        self.assertEqual(self.core.read_namespaced_config_map("applied", "default").data, {"x": "2"})

    def test_definitions(self):
        client.ApiextensionsV1Api().create_custom_resource_definition(PAINTS)
        custom, at = client.CustomObjectsApi(), ("example.com", "v1", "default", "paints")
        paint = {"apiVersion": "example.com/v1", "kind": "Paint", "metadata": {"name": "p"}, "spec": {"colour": "red", "other": 1}}
        self.assertEqual(custom.create_namespaced_custom_object(*at, paint)["spec"], {"colour": "red"})
        self.refused(422, custom.patch_namespaced_custom_object, *at, "p", {"spec": {"colour": "green"}})
        self.refused(422, custom.patch_namespaced_custom_object, *at, "p", {"spec": {"colour": 5}})
        self.assertEqual(custom.patch_namespaced_custom_object_status(*at, "p", {"status": {"dry": True}})["status"], {"dry": True})
        seen = []
        for event in watch.Watch().stream(custom.list_namespaced_custom_object, *at, timeout_seconds=3):
            seen.append(event["type"])
            if event["type"] == "ADDED":
                client.ApiextensionsV1Api().delete_custom_resource_definition("paints.example.com")
            else:
                break
        self.assertEqual(seen, ["ADDED", "DELETED"])
