#!/bin/sh
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
# Runs the tests. Needs only Go and a module proxy.
#   ./test.sh          the modules that programs use; random tests run small samples
#   ./test.sh -all     also the module test, which compares them with other
#                      implementations and builds several releases of Kubernetes
#   ./test.sh -race    other flags are passed to go test; -short=false runs whole samples
# The gate, .ci/run, runs whole samples, vet and many other checks.
set -u
export GOTOOLCHAIN="${GOTOOLCHAIN:-auto}" # compat/v7 needs a newer Go, which is downloaded
cd "$(dirname "$0")"
modules='. kube kube/crd kube/gate kube/policy kube/testserver cmd gen compat/v4 compat/v6 compat/v7 examples/proxy'
if [ "${1-}" = -all ]; then
	shift
	modules="$modules test test/v7"
fi
failed=
for dir in $modules; do
	echo "== $dir"
	(cd "$dir" && go test -vet=off -short "$@" ./...) || failed="$failed $dir"
done
echo "== cmd, slim"
(cd cmd && go test -vet=off "$@" -tags slim -run '^TestSlim$' ./internal/cli) || failed="$failed slim"
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
