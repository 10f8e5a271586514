#!/bin/bash -eu
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
# Builds the targets in the image of OSS-Fuzz, which has compile_native_go_fuzzer_v2, SRC and WORK.
repo=$SRC/dovetail
cd "$repo"

# The tool lays a file over one of package testing, which the go command refuses in a toolchain
# that it has downloaded itself.
if [[ $(go env GOROOT) == "$(go env GOMODCACHE)"/* ]]; then
	cp -r "$(go env GOROOT)" "$WORK/goroot"
	chmod -R u+w "$WORK/goroot"
	export GOROOT=$WORK/goroot PATH=$WORK/goroot/bin:$PATH GOTOOLCHAIN=local
fi

# What it replaces package testing with has to be a module that is asked for.
testing=github.com/AdamKorcz/go-118-fuzz-build/testing
go get "$testing"

# It makes one package of a package and all tests in its folder. So tests of an external test
# package are moved out, and become a package of their own, which the target may be in.
grep -v '^#' .ci/oss-fuzz/targets | while read -r dir target here; do
	[ -z "$here" ] || continue
	cd "$repo/$dir"
	for file in $(grep -l '^package .*_test$' -- *_test.go); do
		mkdir -p external
		sed 's/^package .*_test$/package external/' "$file" >"external/$file"
		rm "$file"
	done
	if grep -qs "^func $target(" external/*; then cd external; fi
	case $dir in test/*) go get "$testing" ;; esac # which is outside of the workspace
	compile_native_go_fuzzer_v2 "$(go list .)" "$target" "${dir//\//_}_$target" </dev/null
done
