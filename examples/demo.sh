#!/bin/sh
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
# Builds dovetail, then shows a conflict with its ways out, an apply that has no
# conflict, and the owners of each field. Needs only Go; no cluster. The tag slim
# leaves out custom resources, which take as long to build as everything else.
set -eu
cd "$(dirname "$0")/.."
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -tags slim -o "$bin/dovetail" ./cmd/dovetail
run() { # run ARGS: print the command, then run it in examples/service
	printf '\n$ dovetail %s\n' "$*"
	(cd examples/service && "$bin/dovetail" "$@")
}
status=0
run diff -f conflict.yaml --live live.yaml --field-manager web || status=$?
echo "(exit status $status)"
test "$status" -eq 2
status=0
run diff -f service.yaml --live live.yaml --field-manager web || status=$?
echo "(exit status $status)"
test "$status" -eq 1
run owners -f live.yaml
