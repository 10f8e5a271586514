# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0

# pyproject.toml describes the package. This file only sets the platform of a wheel that contains
# the program. build.py gives the platform in DOVETAIL_WHEEL_PLATFORM.

import os

from setuptools import Distribution, setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before version 70.1
    from wheel.bdist_wheel import bdist_wheel

platform = os.environ.get("DOVETAIL_WHEEL_PLATFORM")


class Described(Distribution):
    def has_ext_modules(self):
        return bool(platform)


class Wheel(bdist_wheel):
    def get_tag(self):
        return ("py3", "none", platform or "any")


setup(distclass=Described, cmdclass={"bdist_wheel": Wheel})
