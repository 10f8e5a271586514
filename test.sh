#!/bin/sh
# Tests every module of the repository. Needs Go and a module proxy only.
#   ./test.sh          all tests
#   ./test.sh -race    the same with the race detector; other flags of go test work too
set -eu
cd "$(dirname "$0")"
for mod in $(find . -name go.mod -not -path '*/testdata/*' | sort); do
	dir=$(dirname "$mod")
	echo "== $dir"
	case $dir in
	. | ./kube | ./kube/crd | ./cmd | ./gen) (cd "$dir" && go test "$@" ./...) ;;
	*) (cd "$dir" && GOWORK=off go test "$@" ./...) ;;
	esac
done
echo "== ./cmd, slim"
(cd cmd && go test "$@" -tags slim -run '^TestSlim$' ./internal/cli)
