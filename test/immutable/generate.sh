#!/bin/sh
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
# Writes the table of package immutable: asks the update strategies of one release of Kubernetes
# after the other, oldest first, and joins what they have shown. It takes minutes: each is built.
#   test/immutable/generate.sh [1.35 ...]
set -eu
cd "$(dirname "$0")/.."
export GOWORK=off
alone=$(mktemp -d)
trap 'rm -rf "$alone"' EXIT
tables=
for release in ${*:-1.35 1.36 1.37}; do
	mod=releases/$release.mod
	[ -f "$mod" ] || mod=go.mod
	go run -modfile="$mod" -tags "v$release" ./immutable/cmd/table -o "$alone/$release"
	tables="$tables $alone/$release"
done
go run ./immutable/cmd/table -join -o ../kube/immutable/rules.txt $tables
