// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package immutable compares kube/immutable with the update strategies of Kubernetes. It
// changes, sets and unsets every field of every built-in kind once, and makes random updates.
// The server must reject every change that Dovetail rejects. testdata/unseen.txt lists changes
// that only the server rejects:
//
//	go test .
//	go test . -updates 50000 -seed 7
//	GOWORK=off go test -vet=off ./builtin ./immutable -modfile=releases/1.36.mod -tags v1.36
//
// The last command runs in the folder test.
//
// The package also compares kube/predict with these strategies and with admission plugins, for
// example the generation of an object.
//
// Command table writes the table of kube/immutable for the linked release. Another module file
// and a build tag link the strategies of another release:
//
//	GOWORK=off go run -modfile=releases/1.36.mod -tags v1.36 ./immutable/cmd/table
//
// kube/internal/releases/make.sh runs it.
package immutable
