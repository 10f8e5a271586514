// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package immutable compares kube/immutable with the update strategies of Kubernetes. It
// changes, sets and unsets every field of every built-in kind once, and makes random updates.
// The strategies must reject every change that kube/immutable rejects. testdata/unseen.txt
// lists the changes that only the strategies reject.
//
//	go test .
//	go test . -updates 50000 -seed 7
//	GOWORK=off go test -vet=off ./builtin ./immutable -modfile=releases/1.36.mod -tags v1.36
//
// The last of these commands runs in the folder test.
//
// The package also compares kube/predict with the update strategies and with admission plugins.
// For example, it compares the generation of an object.
//
// The command cmd/table writes the table of kube/immutable for the linked release. To link a
// different release, use the module file and the build tag of that release:
//
//	GOWORK=off go run -modfile=releases/1.36.mod -tags v1.36 ./immutable/cmd/table
//
// The script kube/internal/releases/make.sh runs this command.
package immutable
