// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package crd compares package kube/crd with apiextensions, the code of the API server. It
// compares the validation errors for CustomResourceDefinitions and for their objects. It uses
// random definitions, and definitions of well-known projects.
//
//	go test . -crds 20000 -seed 1
package crd
