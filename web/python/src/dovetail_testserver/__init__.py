# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0

"""A Kubernetes API server for tests, with server-side apply.

    with dovetail_testserver.start() as server:
        kubernetes.config.load_kube_config(server.kubeconfig)
"""

from __future__ import annotations

import base64
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable
from typing import Union

__all__ = ["Server", "StartError", "find", "start"]

Path = Union[str, "os.PathLike[str]"]


class StartError(Exception):
    """The server could not be started."""


class Server:
    """A server with its own objects. It stops when the process that started it ends.

    url         the address, such as https://127.0.0.1:34567
    token       the bearer token that requests need
    ca          the certificate of the server in PEM
    kubeconfig  the path of a kubeconfig
    env         variables for programs that use the server: KUBECONFIG
    """

    url: str
    token: str
    ca: str
    kubeconfig: str
    env: dict[str, str]

    def __init__(self, args: list[str], timeout: float) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="dovetail-testserver-")
        self.kubeconfig = os.path.join(self._directory.name, "kubeconfig")
        self.env = {"KUBECONFIG": self.kubeconfig}
        self.token = secrets.token_hex(16)
        self._messages: list[str] = []
        self._ready = threading.Event()
        self.url = ""
        # The server stops when its standard input ends, which the system closes if this process dies.
        command = [*args, "--until-eof", "--tls", "--token", self.token, "--kubeconfig-out", self.kubeconfig]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
        except OSError as error:
            self._directory.cleanup()
            raise StartError(f"cannot start {args[0]}: {error}") from error
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self._ready.wait(timeout):
            self.stop()
            raise StartError(f"dovetail serve did not start within {timeout} seconds\n{self.messages}")
        if not self.url:
            self.stop()
            raise StartError(f"dovetail serve did not start: its exit status is {self._process.returncode}\n{self.messages}")
        config = pathlib.Path(self.kubeconfig).read_text(encoding="utf-8")
        authority = re.search(r"certificate-authority-data: (\S+)", config)
        assert authority, "the kubeconfig of a server with --tls has a certificate"
        self.ca = base64.b64decode(authority[1]).decode()

    def _read(self) -> None:
        assert self._process.stderr
        for line in self._process.stderr:
            self._messages.append(line)
            if line.startswith("serving on "):
                self.url = line.split()[2]
                self._ready.set()
        self._ready.set()

    @property
    def messages(self) -> str:
        """The messages of the server."""
        return "".join(self._messages)

    @property
    def running(self) -> bool:
        """Whether the server is running."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Stops the server. It may be called more than once."""
        assert self._process.stdin and self._process.stderr
        try:
            self._process.stdin.close()
        except OSError:
            pass  # the server has ended already
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        self._process.stderr.close()
        self._directory.cleanup()

    def __repr__(self) -> str:
        return f"<dovetail_testserver.Server {self.url}>"

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


def start(
    *,
    args: Iterable[str] = (),
    crds: Path | Iterable[Path] = (),
    kubernetes_version: str | None = None,
    native: Path | None = None,
    program: Path | None = None,
    store: Path | None = None,
    timeout: float = 30,
) -> Server:
    """Starts a server, and returns it when it answers requests. Raises StartError if it does not start.

    args                more flags of dovetail serve, such as ["--immutability-markers"]
    crds                paths of files or folders with CustomResourceDefinitions; one path need not be in a list
    kubernetes_version  the Kubernetes release of the server, such as "1.36"
    native              the path of the program dovetail-native-RELEASE, or of its folder: the server then
                        validates built-in kinds like an API server; "off" uses only simple rules; with "required",
                        the server does not start without the program; the default is the variable
                        DOVETAIL_NATIVE, or a program next to dovetail or in PATH
    program             the path of the program dovetail; the default is the result of find
    store               a file that keeps the objects; without it, they exist only in memory
    timeout             the maximum time until the server answers requests, in seconds
    """
    if kubernetes_version is not None and not isinstance(kubernetes_version, str):
        raise TypeError(f'kubernetes_version: write the release in quotes, such as "1.36", not {kubernetes_version!r}')
    if isinstance(args, str):
        raise TypeError(f"args: write a list of flags, such as [{args!r}]")
    command = [os.fspath(program) if program else find(), "serve"]
    for file in _paths(crds):
        command += ["--crd", os.fspath(file)]
    if kubernetes_version:
        command += ["--kubernetes-version", kubernetes_version]
    if native:
        command += ["--native", os.fspath(native)]
    if store:
        command += ["--store", os.fspath(store)]
    return Server([*command, *args], timeout)


def _paths(crds: Path | Iterable[Path]) -> list[Path]:
    """Returns the paths in the argument crds of start. Raises TypeError if one is not a path."""
    paths: list[Path] = [crds] if isinstance(crds, (str, os.PathLike, dict)) else list(crds)
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"crds: want paths of files or folders, got {type(path).__name__}: create the CustomResourceDefinition in the test, or write it to a file")
    return paths


def find() -> str:
    """Returns the path of the program dovetail.

    It is the variable DOVETAIL, the program in this package, or the one in PATH. Raises StartError if
    there is none.
    """
    if program := os.environ.get("DOVETAIL"):
        return program
    name = "dovetail.exe" if sys.platform == "win32" else "dovetail"
    own = pathlib.Path(__file__).parent / "bin" / name
    if own.exists():
        return str(own)
    if program := shutil.which("dovetail"):
        return program
    raise StartError("the program dovetail is missing: install a wheel for this platform, add dovetail to PATH, or set DOVETAIL to its path")
