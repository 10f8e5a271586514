// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package crd compares package kube/crd with the API server's own code (apiextensions). It
// compares the findings about CustomResourceDefinitions and their objects, for random
// definitions and for definitions of well-known projects.
//
//	go test . -crds 20000 -seed 1
package crd
