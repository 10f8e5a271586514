#!/bin/sh
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
# Builds dovetail and shows what a server-side apply does to a live Service: one
# that fits, and one that conflicts. Needs Go only; no cluster. The tag slim leaves
# out the rules for custom resources, which take longer to build than all the rest.
set -eu
cd "$(dirname "$0")/.."
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -tags slim -o "$bin/dovetail" ./cmd/dovetail
show() { # show FILE: apply it to the live Service
	printf '\n$ dovetail apply -f %s --live examples/service/live.yaml --field-manager web\n' "$1"
	"$bin/dovetail" apply -f "$1" --live examples/service/live.yaml --field-manager web
}
show examples/service/service.yaml
status=0
show examples/service/conflict.yaml || status=$?
echo "(exit status $status)"
test "$status" -eq 2
