# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0

"""Tests the installed package: the server, and the plugin of pytest."""

import json
import os
import pathlib
import signal
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request

import dovetail_testserver
import pytest

pytest_plugins = ["pytester"]

CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, kind: Widget}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
"""


def get(server, path, token=None):
    """Returns the status of a GET request."""
    request = urllib.request.Request(server.url + path, headers={"Authorization": "Bearer " + (token or server.token)})
    try:
        return urllib.request.urlopen(request, context=ssl.create_default_context(cadata=server.ca)).status
    except urllib.error.HTTPError as error:
        return error.code


def test_the_program_is_in_the_wheel():
    assert pathlib.Path(dovetail_testserver.find()).parent.parent == pathlib.Path(dovetail_testserver.__file__).parent


def test_start_and_stop(tmp_path):
    (tmp_path / "crd.yaml").write_text(CRD)
    server = dovetail_testserver.start(crds=tmp_path / "crd.yaml")
    assert server.running
    assert get(server, "/api/v1/namespaces/default") == 200
    assert get(server, "/apis/example.com/v1/widgets") == 200
    assert get(server, "/api/v1/namespaces/default", token="wrong") == 401
    assert str(server) == f"<dovetail_testserver.Server {server.url}>"
    server.stop()
    server.stop()
    assert not server.running
    assert not os.path.exists(server.kubeconfig)
    with pytest.raises(urllib.error.URLError):
        get(server, "/readyz")


@pytest.mark.parametrize("arguments, message", [
    ({"crds": ["missing.yaml"]}, "missing.yaml"),
    ({"kubernetes_version": "1.2"}, "1.2"),
    ({"native": "no-such-folder"}, "--native: no-such-folder: there is no dovetail-native"),
    ({"program": "no-such-program"}, "no-such-program"),
    ({"timeout": 0}, "did not start within 0 seconds"),
])
def test_errors_name_the_cause(arguments, message):
    with pytest.raises(dovetail_testserver.StartError, match=message):
        dovetail_testserver.start(**arguments)


def test_a_release_is_a_string():
    with pytest.raises(TypeError, match='^kubernetes_version: write the release in quotes, such as "1.36", not 1.36$'):
        dovetail_testserver.start(kubernetes_version=1.36)


@pytest.mark.parametrize("crds", [{"kind": "CustomResourceDefinition"}, [{"kind": "CustomResourceDefinition"}]])
def test_crds_are_paths(crds):
    with pytest.raises(TypeError, match="^crds: want paths of files or folders, got dict: "):
        dovetail_testserver.start(crds=crds)


def test_more_flags():
    with dovetail_testserver.start(args=["--listen", "localhost:0", "--immutability-markers"]) as server:
        assert server.url.startswith("https://localhost:")
        assert "KEP-1101" in server.messages
    with pytest.raises(TypeError, match="^args: write a list of flags, such as "):
        dovetail_testserver.start(args="--immutability-markers")


@pytest.mark.parametrize("arguments, notes", [({}, 1), ({"native": "off"}, 0)])
def test_a_note_says_that_validation_is_simple(monkeypatch, arguments, notes):
    monkeypatch.setenv("PATH", "")  # it may contain a native program
    with dovetail_testserver.start(**arguments) as server:
        assert server.messages.count("simple rules only") == notes
    with pytest.raises(dovetail_testserver.StartError) as caught:
        dovetail_testserver.start(crds="missing.yaml", **arguments)
    assert "note:" not in str(caught.value)


def test_the_server_stops_when_its_process_is_killed():
    script = "import dovetail_testserver, json, time; s = dovetail_testserver.start(); print(json.dumps([s.url, s.token, s.ca]), flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        server = dovetail_testserver.Server.__new__(dovetail_testserver.Server)
        server.url, server.token, server.ca = json.loads(process.stdout.readline())
        assert get(server, "/readyz") == 200
        process.send_signal(signal.SIGKILL)
    for _ in range(300):
        try:
            get(server, "/readyz")
        except urllib.error.URLError:
            return
        time.sleep(0.1)
    pytest.fail("the server runs after its process was killed")


def test_plugin(pytester):
    pytester.makefile(".yaml", crd=CRD, other=CRD.replace("widget", "gadget").replace("Widget", "Gadget"))
    pytester.makeini("[pytest]\ndovetail_crds = other.yaml\ndovetail_kubernetes_version = 1.36\n")
    pytester.makepyfile("""
        import json, ssl, urllib.request
        import pytest

        def get(server, path):
            request = urllib.request.Request(server.url + path, headers={"Authorization": "Bearer " + server.token})
            return json.load(urllib.request.urlopen(request, context=ssl.create_default_context(cadata=server.ca)))

        tokens = set()

        @pytest.mark.parametrize("n", [1, 2])
        def test_a_server_of_its_own(dovetail_server, n):
            tokens.add(dovetail_server.token)
            assert len(tokens) == n
            assert get(dovetail_server, "/version")["minor"].startswith("36")

        @pytest.mark.dovetail_server(crds="crd.yaml", kubernetes_version="1.37")
        def test_marker(dovetail_server):
            assert get(dovetail_server, "/version")["minor"].startswith("37")
            assert get(dovetail_server, "/apis/example.com/v1/widgets")["items"] == []
            assert get(dovetail_server, "/apis/example.com/v1/gadgets")["items"] == []

        @pytest.mark.dovetail_server("crd.yaml")
        def test_wrong_marker(dovetail_server):
            pass

        @pytest.mark.dovetail_server(crd="crd.yaml")
        def test_unknown_argument(dovetail_server):
            pass

        @pytest.mark.parametrize("n", [1, 2])
        def test_session(dovetail_session_server, n):
            tokens.add(dovetail_session_server.token)
            assert len(tokens) == 3

        @pytest.mark.dovetail_server(kubernetes_version="1.37")
        def test_marker_for_the_session(dovetail_session_server):
            pass
    """)
    result = pytester.runpytest_subprocess("--strict-markers")
    result.assert_outcomes(passed=5, errors=3)
    result.stdout.fnmatch_lines(["*only named arguments*", "*no argument crd: want some of args, crds, kubernetes_version, native, program, store, timeout*", "*has no effect on the fixture dovetail_session_server*"])
