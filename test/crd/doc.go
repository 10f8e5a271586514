// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package crd compares package kube/crd with the code of the API server, apiextensions. It
// compares findings about CustomResourceDefinitions and about their objects. It uses random
// definitions, and definitions of well-known projects.
//
//	go test . -crds 20000 -seed 1
package crd
