#!/bin/sh
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
# Creates the folder for one Kubernetes release from the modules of this release. Then it runs
# the tests that compare the folder with the modules.
#
#   kube/internal/releases/make.sh v1.38.0    creates the folder for a new release, or updates
#                                             a folder to another version of the release
#   kube/internal/releases/make.sh 1.37       creates the files again, for the version in the
#                                             release.txt of the folder. If there is no folder, the
#                                             script uses the version that the tests require
#
# The script downloads the modules and builds parts of the API server. The first run of a release
# takes 10 to 30 minutes on two cores. Do not build or test other packages during that time, because
# some files of the folder are incomplete. If the script cannot create a file, add a line
# "unknown FILE: reason" to release.txt and run it again.
set -eu
version=${1:?"usage: make.sh VERSION, such as v1.38.0"}
cd "$(dirname "$0")"
here=$PWD
root=$(cd ../../.. && pwd)
minor=$(echo "${version#v}" | cut -d. -f1,2)
folder=$here/$minor
case $version in
v*.*.*) ;;
[0-9]*.*.*) version=v$version ;;
*)
	version=$(sed -n 's/^version //p' "$folder/release.txt" 2>/dev/null) || true
	[ -n "$version" ] || version=$(sed -n "s/.*k8s.io\/kubernetes \(v$minor\.[^ ]*\)\$/\1/p" "$root/test/go.mod" "$root/test/releases/$minor.mod" 2>/dev/null | head -n 1) || true
	[ -n "$version" ] || { echo "the version of $minor is unknown: give the full version, such as v1.36.4" >&2; exit 1; }
	;;
esac
mkdir -p "$folder"
touch "$folder/release.txt"
{ echo "version $version"; grep -v '^version ' "$folder/release.txt" || true; } >"$folder/new.txt"
mv "$folder/new.txt" "$folder/release.txt"

step() { echo "$minor/$1 ..." >&2; }

# wanted reports whether the script should create a file: release.txt must not list it as unknown.
# If the file does not exist, wanted writes only the version to it, so that generators find the release.
wanted() {
	! grep -q "^unknown $1:" "$folder/release.txt" || return 1
	[ -f "$folder/$1" ] || echo "release $version" >"$folder/$1"
}

# modules prints the name of the file that requires the libraries of the release: go.mod, or a file in
# the folder releases. If that file does not exist, modules writes it.
modules() {
	if grep -q "k8s.io/kubernetes $version\$" go.mod; then
		echo go.mod
		return
	fi
	mod=releases/$minor.mod
	echo "$mod"
	! grep -qs "k8s.io/kubernetes $version\$" "$mod" || return 0
	from=$(ls releases/1.*.mod | sort -V | tail -1)
	old=$(sed -n 's/.*k8s.io\/kubernetes v1\.//p' "$from")
	new=${version#v1.}
	sed -E "s/ v([01])\.$old( |\$)/ v\1.$new\2/" "$from" >"$mod.new"
	cp "${from%.mod}.sum" "${mod%.mod}.sum"
	mv "$mod.new" "$mod"
	theirs=$(cd / && GOTOOLCHAIN=auto go mod download -json "k8s.io/kubernetes@$version" | sed -n 's/.*"GoMod": "\(.*\)",/\1/p')
	for module in $(sed -n 's/^[[:space:]]*\(k8s.io\/[a-z-]*\) => .*/\1/p' "$theirs"); do
		go mod edit -replace="$module=$module@v0.$new" "$mod"
	done
	openapi=$(sed -n 's/^[[:space:]]*k8s.io\/kube-openapi \(v[^ ]*\).*/\1/p' "$theirs")
	go mod edit -replace="k8s.io/kube-openapi=k8s.io/kube-openapi@$openapi" "$mod"
	# Add the requirements of the packages and of their tests.
	GOTOOLCHAIN=auto go list -mod=mod -modfile="$mod" -tags "v$minor" -deps -test ./builtin/... ./immutable/... >"$mod.new" || {
		rm -f "$mod" "${mod%.mod}.sum" "$mod.new"
		return 1
	}
	rm "$mod.new"
}

# in_release runs a program of the module test with the libraries of the release.
in_release() {
	(cd "$root/test" && GOTOOLCHAIN=auto go run -modfile="$mod" -tags "v$minor" "$@")
}

# If the script fails or is interrupted, list the files that it has not created yet.
unfinished() {
	for file in defaults.txt goform.txt immutable.txt validation.txt; do
		[ ! -f "$folder/$file" ] || [ "$(wc -l <"$folder/$file")" -gt 1 ] || echo "$minor/$file is incomplete: run make.sh again" >&2
	done
}
trap unfinished EXIT
trap 'exit 1' INT TERM
for file in defaults.txt goform.txt immutable.txt validation.txt; do wanted "$file" || true; done
step openapi.types
(cd "$root/kube" && go run ./internal/genbuiltin -release "$version" -o "$folder/openapi.types")
if wanted goform.txt || wanted defaults.txt || wanted immutable.txt || wanted validation.txt; then
	export GOWORK=off
	mod=$(cd "$root/test" && modules)
	if wanted goform.txt; then step goform.txt && in_release ./builtin/cmd/gengoform -o "$folder/goform.txt"; fi
	if wanted defaults.txt; then step defaults.txt && in_release ./builtin/cmd/gendefaults -o "$folder/defaults.txt"; fi
	if wanted immutable.txt; then step immutable.txt && in_release ./immutable/cmd/table -objects immutable/testdata/objects -o "$folder/immutable.txt"; fi
	if wanted validation.txt; then step validation.txt && in_release ./immutable/cmd/validation -objects immutable/testdata/objects -o "$folder/validation.txt"; fi
fi
(cd "$root/kube" && GOWORK= go test ./internal/releases)
