# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0

"""Builds wheels in dist, one for each given platform, and prints their paths. It needs pip, setuptools and wheel, and no network.

    python3 build.py linux-x64=FILE...   the programs, by platform
        --version 0.2.0                  the version of the package; 0.0.0 if not given
        --out DIR                        another folder for the wheels

If the environment variable SOURCE_DATE_EPOCH has the time of the files, two builds of a wheel are equal.
"""

import argparse
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# The program for Linux is static, so it needs no libc.
PLATFORMS = {
    "darwin-arm64": "macosx_12_0_arm64",
    "darwin-x64": "macosx_12_0_x86_64",
    "linux-arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "linux-x64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "win32-arm64": "win_arm64",
    "win32-x64": "win_amd64",
}


def python_version(version):
    """Returns a semantic version in the form of PEP 440."""
    parts = re.fullmatch(r"(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.(\d+))?", version)
    if not parts:
        raise ValueError(f"--version {version}: want one like 0.2.0 or 0.2.0-rc.1")
    number, kind, count = parts.groups()
    return number + ({"alpha": "a", "beta": "b", "rc": "rc"}[kind] + count if kind else "")


def build(platform, program, version, out):
    """Builds the wheel of a platform in the folder out, and returns its path."""
    with tempfile.TemporaryDirectory() as temporary:
        tree = pathlib.Path(temporary) / "tree"
        shutil.copytree(HERE, tree, ignore=shutil.ignore_patterns("dist", "build", "__pycache__", "*.egg-info", "tests", ".pytest_cache"))
        # The modes of files are part of a wheel. They must not depend on the user.
        os.umask(0o022)
        for file in tree.rglob("*"):
            if file.is_file():
                file.chmod(0o644)
        description = tree / "pyproject.toml"
        description.write_text(description.read_text().replace('version = "0.0.0"', f'version = "{version}"'))
        shutil.copyfile(HERE.parents[1] / "LICENSE", tree / "LICENSE")
        programs = tree / "src/dovetail_testserver/bin"
        programs.mkdir()
        copy = programs / ("dovetail.exe" if platform.startswith("win32") else "dovetail")
        shutil.copyfile(program, copy)
        copy.chmod(0o755)
        built = pathlib.Path(temporary) / "built"
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--wheel-dir", built, tree],
            check=True, env=dict(os.environ, DOVETAIL_WHEEL_PLATFORM=PLATFORMS[platform]),
        )
        out.mkdir(parents=True, exist_ok=True)
        (wheel,) = built.iterdir()
        return shutil.copyfile(wheel, out / wheel.name)


def main():
    parser = argparse.ArgumentParser(description="Build wheels.")
    parser.add_argument("programs", nargs="+", metavar="PLATFORM=FILE", help="platforms: " + ", ".join(PLATFORMS))
    parser.add_argument("--version", default="0.0.0")
    parser.add_argument("--out", default=HERE / "dist", type=pathlib.Path)
    args = parser.parse_args()
    missing = [name for name in ("pip", "setuptools", "wheel") if not importlib.util.find_spec(name)]
    if missing:
        parser.exit(2, f"build.py: install {' and '.join(missing)} for {sys.executable}; or use the package without a wheel: set PYTHONPATH to {HERE / 'src'}, and add dovetail to PATH\n")
    for argument in args.programs:
        platform, _, program = argument.partition("=")
        if platform not in PLATFORMS or not program:
            parser.error(f"{argument}: want PLATFORM=FILE, with one of the platforms {', '.join(PLATFORMS)}")
        try:
            print(build(platform, program, python_version(args.version), args.out))
        except (ValueError, OSError) as error:
            parser.error(str(error))


if __name__ == "__main__":
    main()
