// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package crd compares what package kube/crd says of CustomResourceDefinitions
// and their objects with what the API server says: random definitions, those of
// well-known projects, and apiextensions as the oracle.
//
//	go test . -crds 20000 -seed 1
package crd
