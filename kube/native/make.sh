#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
# Creates a module with a program that contains the code of a Kubernetes release. If the module
# exists, the script updates only its go.mod and go.work.
#
#   kube/native/make.sh v1.39.0
#
# You must change the program if the new release has a new API group, or if it constructs the
# storage of a group in another way. Providers in engine/groups.go explains this.
set -euo pipefail
cd "$(dirname "$0")"

version=$1 # such as v1.39.0
minor=$(cut -d. -f1,2 <<<"${version#v}")
staging=v0.${version#v1.}
before=$(printf '%s\n' [0-9]*/ | tr -d / | grep -vx "$minor" | sort -V | tail -n 1)
own=github.com/dovetail-ssa/dovetail

kubernetes=$(cd "$(mktemp -d)" && go mod init make >/dev/null 2>&1 && go mod download -json "k8s.io/kubernetes@$version" | sed -n 's/.*"GoMod": "\(.*\)",/\1/p')
required=$(sed -nE 's/^\t(k8s\.io\/[a-z0-9-]+) v0\.0\.0( .*)?$/\1/p' "$kubernetes" | sort -u)
# These sample modules are not published for all releases. Nothing imports them.
samples=$(grep '/sample-' <<<"$required" || [ $? = 1 ])
modules=$(grep -v '/sample-' <<<"$required")

# The modules of this repository need Go 1.26. From 1.38 on, Kubernetes needs a later version.
go=$(printf '%s\n' 1.26.0 "$(sed -n 's/^go //p' "$kubernetes")" | sort -V | tail -n 1)
export GOTOOLCHAIN=${GOTOOLCHAIN:-auto}

# Use the same versions of other modules as the tests of this release. Then both share compiled
# packages.
tests=../../test/releases/$minor.mod
[ -e "$tests" ] || tests=../../test/go.mod

write() { # write FOLDER OWN=PATH...: writes go.mod and go.work of a folder that requires modules of this repository
	local folder=$1 m
	shift
	mkdir -p "$folder"
	(
		cd "$folder"
		printf 'module %s/kube/native/%s\n\ngo %s\n' "$own" "$folder" "$go" >go.mod
		for m; do go mod edit -require="${m%=*}@v0.0.0" -replace="$m"; done
		go mod edit -require="k8s.io/kubernetes@$version"
		for m in $modules; do go mod edit -require="$m@$staging"; done
		GOWORK=off GOFLAGS=-mod=mod go list -deps ./... >/dev/null
		go mod edit -json | sed -n 's/^\t\t\t"Path": "\(.*\)",/\1/p' | sort -u | while read -r m; do
			v=$(sed -nE "s#^\s+(require )?$m (v[^ ]+).*#\2#p" "../$tests" | head -n 1)
			case $m in "$own"* | k8s.io/kubernetes) continue ;; esac
			[ -z "$v" ] || [ "$v" = v0.0.0 ] || go mod edit -require="$m@$v"
		done
		GOWORK=off GOFLAGS=-mod=mod go list -deps ./... >/dev/null
		for m; do go mod edit -dropreplace="${m%=*}"; done
		printf 'go %s\n' "$go" >go.work
		go work use . ../.. ../../..
		for m; do go work edit -replace="${m%=*}@v0.0.0=${m#*=}"; done
		case " $* " in *" $own/kube/native/engine="*) go work use ../engine ;; esac
		# In a workspace, the go command reads the go.mod file of every required version. No
		# proxy has version v0.0.0, so replace it.
		for m in $modules; do go work edit -replace="$m@v0.0.0=$m@$staging"; done
		for m in $samples; do go work edit -replace="$m@v0.0.0=k8s.io/api@$staging"; done
		go list -deps ./... >/dev/null
	)
}

if [ ! -e "$minor" ]; then
	mkdir -p "$minor/dovetail-native-$minor"
	sed "s/${before//./\\.}/$minor/g" "$before/dovetail-native-$before/main.go" >"$minor/dovetail-native-$minor/main.go"
fi
write "$minor" "$own=../../.." "$own/kube=../.." "$own/kube/native/engine=../engine"
# The module engine requires the libraries of the oldest release.
if [ "$minor" = "$(printf '%s\n' [0-9]*/ | tr -d / | sort -V | head -n 1)" ]; then
	write engine "$own=../../.." "$own/kube=../.."
fi
(cd "$minor" && go vet ./...)
