#!/bin/sh
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
# Builds dovetail and runs it three times: for an apply with a conflict, which shows the ways
# to resolve it, for an apply without a conflict, and to show the owner of each field. The
# script needs only Go, and no cluster. The build tag slim omits the code for custom resources,
# because it takes as long to build as all other code together.
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
