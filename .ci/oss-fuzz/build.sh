#!/bin/bash -eu
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets. It runs in the image of OSS-Fuzz, which provides the tool
# compile_native_go_fuzzer_v2 and sets SRC and WORK.
repo=$SRC/dovetail
cd "$repo"

# The tool replaces a file of package testing. The go command does not allow this in a toolchain
# that it has downloaded, so use a copy of the toolchain.
if [[ $(go env GOROOT) == "$(go env GOMODCACHE)"/* ]]; then
	cp -r "$(go env GOROOT)" "$WORK/goroot"
	chmod -R u+w "$WORK/goroot"
	export GOROOT=$WORK/goroot PATH=$WORK/goroot/bin:$PATH GOTOOLCHAIN=local
fi

# go.mod must require the module that replaces package testing.
testing=github.com/AdamKorcz/go-118-fuzz-build/testing
go get "$testing"

# The tool combines a package and all tests in its folder into one package. So move the tests of
# an external package (such as p_test) to another folder. The fuzz target may be in this folder.
grep -v '^#' .ci/oss-fuzz/targets | while read -r dir target here; do
	[ -z "$here" ] || continue
	cd "$repo/$dir"
	for file in $(grep -l '^package .*_test$' -- *_test.go); do
		mkdir -p external
		sed 's/^package .*_test$/package external/' "$file" >"external/$file"
		rm "$file"
	done
	if grep -qs "^func $target(" external/*; then cd external; fi
	case $dir in test/*) go get "$testing" ;; esac # this module is not in the workspace
	compile_native_go_fuzzer_v2 "$(go list .)" "$target" "${dir//\//_}_$target" </dev/null
done
