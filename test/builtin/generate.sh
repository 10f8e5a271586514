#!/bin/sh
# SPDX-FileCopyrightText: The Dovetail authors
# SPDX-License-Identifier: Apache-2.0
# Writes the tables of packages defaults and goform, of one release of Kubernetes after the
# other. It takes minutes: each is built. The table of Go types of the newest is whole, and
# those of the others have what differs: write them again after it.
#   test/builtin/generate.sh [1.37 ...]
set -eu
cd "$(dirname "$0")/.."
export GOWORK=off
newest=1.37
tables=../kube/goform/tables
go run ./builtin/cmd/gengoform -o "$tables/$newest.txt"
for release in ${*:-1.35 1.36 1.37}; do
	mod=releases/$release.mod
	[ -f "$mod" ] || mod=go.mod
	go run -modfile="$mod" ./builtin/cmd/gendefaults -o "../kube/defaults/tables/$release.txt"
	[ "$release" = "$newest" ] || go run -modfile="$mod" ./builtin/cmd/gengoform -as "$tables/$newest.txt" -o "$tables/$release.txt"
done
