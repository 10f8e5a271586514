#!/bin/sh
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
# Writes the tables of package defaults, of one release of Kubernetes after the other. It
# takes minutes: each is built.
#   conformance/builtin/generate.sh [1.37 ...]
set -eu
cd "$(dirname "$0")"
export GOWORK=off
for release in ${*:-1.35 1.36 1.37}; do
	mod=go-$release.mod
	[ -f "$mod" ] || mod=go.mod
	go run -modfile="$mod" ./cmd/gendefaults -o "../../kube/defaults/tables/$release.txt"
done
