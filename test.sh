#!/bin/sh
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
# Runs the tests. Needs Go and a module proxy only.
#   ./test.sh          the modules that programs use, and what compares them with
#                      structured-merge-diff: minutes, from a cold build cache, too
#   ./test.sh -all     every module, also those that are built with several releases of
#                      Kubernetes and a browser, or with a newer Go, as the gate does
#   ./test.sh -race    other flags are those of go test
# Vet runs in the gate, .ci/run.
set -u
export GOTOOLCHAIN="${GOTOOLCHAIN:-auto}" # compat/v7 asks for a newer Go, which is fetched
cd "$(dirname "$0")"
modules='. kube kube/crd kube/gate kube/policy kube/testserver cmd gen compat/v4 compat/v6 examples/proxy
	conformance conformance/differential conformance/roundtrip'
if [ "${1-}" = -all ]; then
	shift
	modules=$(find . -name go.mod -not -path '*/testdata/*' | sed 's,/go.mod$,,' | sort)
fi
failed=
for dir in $modules; do
	echo "== $dir"
	(cd "$dir" && go test -vet=off "$@" ./...) || failed="$failed $dir"
done
echo "== cmd, slim"
(cd cmd && go test -vet=off "$@" -tags slim -run '^TestSlim$' ./internal/cli) || failed="$failed slim"
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
