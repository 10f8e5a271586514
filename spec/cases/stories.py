#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the stories of level 4 on a server. README.md explains the stories."""

import argparse, difflib, json, pathlib, re, ssl, sys, time, urllib.error, urllib.parse, urllib.request, uuid

PATCHES = {"apply": "apply-patch+yaml", "merge": "merge-patch+json", "strategic": "strategic-merge-patch+json", "json": "json-patch+json"}
METHODS = {"create": "POST", "update": "PUT", "get": "GET", "await": "GET", "delete": "DELETE"}
NAMESPACES, DEFINITIONS = "/api/v1/namespaces", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

parser = argparse.ArgumentParser(description="Runs the stories of level 4 on a server.")
parser.add_argument("url", help="the URL of the server, such as http://127.0.0.1:8080")
parser.add_argument("--stories", type=pathlib.Path, default=pathlib.Path(__file__).parent / "testdata/http", help="the folder with the stories")
parser.add_argument("--token", help="a bearer token")
parser.add_argument("--ca", help="a file with the certificate authority of the server, in PEM")
arguments = parser.parse_args()
context = ssl.create_default_context(cafile=arguments.ca)


def send(do, path, query={}, body=None):
    """Returns the status and the body of the response."""
    url = arguments.url.rstrip("/") + path + "?" + urllib.parse.urlencode(query)
    headers = {"Content-Type": "application/" + PATCHES.get(do, "json"), "User-Agent": "Go-http-client"}
    if arguments.token:
        headers["Authorization"] = "Bearer " + arguments.token
    try:
        request = urllib.request.Request(url, body and body.encode(), headers, method=METHODS.get(do, "PATCH"))
        with urllib.request.urlopen(request, context=context) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except (OSError, ValueError) as error:
        sys.exit(f"cannot send a request to {arguments.url}: {error}")


def parse(text):
    try:
        return json.loads(text)
    except ValueError:
        return {"not JSON": text}


def without_server_metadata(value):
    metadata = value.get("metadata", {})
    for name in "uid", "resourceVersion", "selfLink":
        metadata.pop(name, None)
    metadata.get("managedFields", []).sort(key=lambda e: [e.get(k, "") for k in ("manager", "operation", "subresource", "apiVersion")])
    for item in value.get("items", []):
        without_server_metadata(item)


def settled(text, namespace):
    """Returns the part of a response that a story compares."""
    value = parse(re.sub(r'"\d{4}-\d\d-\d\dT[0-9:.]+Z"', '"TIME"', text.replace(namespace, "$NS")))
    if value.get("kind") != "Status":
        without_server_metadata(value)
        return value
    if value["status"] != "Failure":
        return None
    short = {"reason": value["reason"]} if "reason" in value else {}
    if causes := value.get("details", {}).get("causes"):
        short["causes"] = sorted_causes([{k: v for k, v in c.items() if k != "message" or c["reason"] == "FieldManagerConflict"} for c in causes])
    return short


def sorted_causes(causes):
    return sorted(causes, key=lambda c: json.dumps(c, sort_keys=True))


def diff(expected, found):
    lines = [json.dumps(value, indent=1, sort_keys=True).splitlines() for value in (expected, found)]
    return "\n".join(difflib.unified_diff(*lines, "expected", "found", lineterm=""))


def run(story, namespace):
    """Returns a description of the first unexpected response, or None."""
    status, text = send("create", NAMESPACES, body=json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}))
    if status != 201:
        return f"cannot create a namespace: {text}"
    version = ""
    for step in story["steps"]:
        body = json.dumps(step["body"]).replace("$NS", namespace).replace("$RV", version) if "body" in step else None
        end = time.time() + 20
        while True:
            status, text = send(step["do"], step["path"].replace("$NS", namespace), step.get("query", {}), body)
            found, want = settled(text, namespace), step.get("want")
            if want is None or step["do"] == "await" and want in text:
                want = found
            elif step["do"] != "await" and "causes" in want:
                want["causes"] = sorted_causes(want["causes"])
            right = (status, found) == (step["status"], want)
            if right or step["do"] != "await" or time.time() > end:
                break
            time.sleep(0.1)
        if not right:
            return step["about"] + "\n" + diff({"status": step["status"], "body": want}, {"status": status, "body": found})
        version = parse(text).get("metadata", {}).get("resourceVersion", "")


files = sorted(arguments.stories.glob("*.json"))
if not files:
    sys.exit(f"no stories in {arguments.stories}: pass the folder spec/cases/testdata/http of a clone with --stories")
failed = 0
for file in files:
    namespace = "story" + uuid.uuid4().hex
    wrong = run(json.loads(file.read_text()), namespace)
    print(f"failed: {file.stem}: {wrong}" if wrong else f"passed: {file.stem}")
    failed += wrong is not None
    for path in f"{DEFINITIONS}/things.{namespace}.example.com", f"{NAMESPACES}/{namespace}":
        send("delete", path)
print(f"{len(files) - failed} of {len(files)} stories passed")
sys.exit(1 if failed else 0)
