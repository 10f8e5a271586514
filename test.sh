#!/bin/sh
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
# This script runs the tests of the repository. It needs only Go and a module proxy.
#   ./test.sh          tests the modules that programs can require, with few random cases
#   ./test.sh -all     also runs the module test, which compares them with other
#                      implementations and builds several releases of Kubernetes
#   ./test.sh -race    passes the flag to go test; -short=false runs all random cases
# The gate, .ci/run, runs all random cases, vet and many other checks.
set -u
export GOTOOLCHAIN="${GOTOOLCHAIN:-auto}" # compat/v7 needs a newer Go, which the go command downloads
cd "$(dirname "$0")"
modules='. kube kube/crd kube/gate kube/policy kube/testserver cmd gen compat/v4 compat/v6 compat/v7 examples/proxy'
if [ "${1-}" = -all ]; then
	shift
	modules="$modules test test/v7"
fi
case " $* " in
*" -h "* | *" -help "* | *" --help "*) sed -n 's/^# \{0,1\}//p' "$0" | sed '1,3d' && exit ;;
esac
failed=
for dir in $modules; do
	echo "== $dir"
	(cd "$dir" && go test -vet=off -short "$@" ./...) || failed="$failed $dir"
done
echo "== cmd, slim"
(cd cmd && go test -vet=off "$@" -tags slim -run '^TestSlim$' ./internal/cli) || failed="$failed slim"
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
