// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package immutable compares kube/immutable with the update strategies of Kubernetes: for every
// field of every built-in kind, which is changed, set and unset once, and for random updates.
// What Dovetail refuses the server refuses, too; what it does not see is listed in
// testdata/unseen.txt:
//
//	go test .
//	go test . -updates 50000 -seed 7
//	GOWORK=off go test -vet=off -modfile=releases/1.36.mod -tags v1.36 ./immutable
//
// It compares kube/predict with these strategies, too: what generation an object gets.
//
// It also makes the table that kube/immutable embeds, and shows that of another release, whose
// strategies are linked by another file of modules and a build tag; -join makes one table of
// several, where lines are marked with the releases that they are of:
//
//	go generate .
//	go run -modfile=releases/1.36.mod -tags v1.36 ./immutable/cmd/table
package immutable

//go:generate sh ./generate.sh
