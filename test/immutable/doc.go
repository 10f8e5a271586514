// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package immutable compares kube/immutable with the update strategies of Kubernetes: for every
// field of every built-in kind, which is changed, set and unset once, and for random updates.
// What Dovetail refuses the server refuses, too; what it does not see is listed in
// testdata/unseen.txt:
//
//	go test .
//	go test . -updates 50000 -seed 7
//	GOWORK=off go test -vet=off ./builtin ./immutable -modfile=releases/1.36.mod -tags v1.36
//
// The last command runs in the folder test.
//
// It compares kube/predict with these strategies, too: what generation an object gets.
//
// Command table writes the table of kube/immutable for the release that is linked. Another
// file of modules and a build tag link the strategies of another release:
//
//	GOWORK=off go run -modfile=releases/1.36.mod -tags v1.36 ./immutable/cmd/table
//
// kube/internal/releases/make.sh runs it.
package immutable
