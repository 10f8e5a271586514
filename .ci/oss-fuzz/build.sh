#!/bin/bash -eu
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets in the image of OSS-Fuzz, which provides compile_native_go_fuzzer_v2, SRC and WORK.
repo=$SRC/dovetail
cd "$repo"

# The tool overlays a file of package testing. The go command rejects that in a toolchain that it
# has downloaded itself, so copy the toolchain.
if [[ $(go env GOROOT) == "$(go env GOMODCACHE)"/* ]]; then
	cp -r "$(go env GOROOT)" "$WORK/goroot"
	chmod -R u+w "$WORK/goroot"
	export GOROOT=$WORK/goroot PATH=$WORK/goroot/bin:$PATH GOTOOLCHAIN=local
fi

# The replacement for package testing must be a required module.
testing=github.com/AdamKorcz/go-118-fuzz-build/testing
go get "$testing"

# The tool merges a package and all tests in its folder into one package. So external tests are
# moved to a package of their own, which may contain the target.
grep -v '^#' .ci/oss-fuzz/targets | while read -r dir target here; do
	[ -z "$here" ] || continue
	cd "$repo/$dir"
	for file in $(grep -l '^package .*_test$' -- *_test.go); do
		mkdir -p external
		sed 's/^package .*_test$/package external/' "$file" >"external/$file"
		rm "$file"
	done
	if grep -qs "^func $target(" external/*; then cd external; fi
	case $dir in test/*) go get "$testing" ;; esac # outside of the workspace
	compile_native_go_fuzzer_v2 "$(go list .)" "$target" "${dir//\//_}_$target" </dev/null
done
