# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0

"""The fixtures for pytest."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from . import Server, _paths, start

MARKER = "dovetail_server(crds=(), kubernetes_version=None, ...): arguments of dovetail_testserver.start; relative paths in crds start at the folder of the test file"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("dovetail_crds", "files or folders with CustomResourceDefinitions for all servers, relative to this file", type="paths", default=[])
    parser.addini("dovetail_kubernetes_version", "Kubernetes release of all servers", default="")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


def pytest_runtest_setup(item: pytest.Item) -> None:
    fixtures = getattr(item, "fixturenames", ())
    if item.get_closest_marker("dovetail_server") and "dovetail_session_server" in fixtures and "dovetail_server" not in fixtures:
        raise pytest.UsageError("the marker dovetail_server has no effect on the fixture dovetail_session_server: use the fixture dovetail_server, or set dovetail_crds and dovetail_kubernetes_version in the configuration file of pytest")


@pytest.fixture
def dovetail_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server for this test, with its own objects."""
    with start(**_options(request)) as server:
        yield server


@pytest.fixture(scope="session")
def dovetail_session_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server for all tests of the session. They see the objects of each other."""
    with start(**_settings(request.config)) as server:
        yield server


def _settings(config: pytest.Config) -> dict[str, Any]:
    return {
        "crds": list(config.getini("dovetail_crds")),
        "kubernetes_version": config.getini("dovetail_kubernetes_version") or None,
    }


def _options(request: pytest.FixtureRequest) -> dict[str, Any]:
    options = _settings(request.config)
    marker = request.node.get_closest_marker("dovetail_server")
    if marker is None:
        return options
    if marker.args:
        raise pytest.UsageError("the marker dovetail_server has only named arguments, such as crds=[\"crd.yaml\"]")
    given = dict(marker.kwargs)
    known = inspect.signature(start).parameters
    for name in given:
        if name not in known:
            raise pytest.UsageError(f"the marker dovetail_server has no argument {name}: want some of {', '.join(sorted(known))}")
    crds = given.pop("crds", ())
    folder = request.node.path.parent
    options["crds"] += [folder / file for file in _paths(crds)]
    options.update(given)
    return options
