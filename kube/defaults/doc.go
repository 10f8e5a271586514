// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package defaults sets the defaults that a Kubernetes API server sets in objects of built-in
// kinds when it decodes them.
//
// OpenAPI documents have only a few of these defaults; most are Go code in the server. Start from
// a [Release], which [New] returns for a version:
//
//	release, err := defaults.New("1.37")
//	if err != nil {
//		return err
//	}
//	stored := release.Fill(object, defaults.Options{Now: time.Now()})
//
// The object is plain data, as decoded by encoding/json or YAML decoders. Fill does not change
// it: the result shares all unchanged parts with it, and is the object itself if no default is
// missing. A Release contains all kinds and versions in the scheme of Kubernetes, and their
// lists, even if servers do not serve them. Feature gates have the defaults of the release.
//
// # Where a default comes from
//
// Fill calls Options.Filled for each field that it fills in. The argument shows where the default
// comes from: from OpenAPI documents, from a constant that these documents do not have, or from a
// rule that reads other fields. [Release.PossibleDefaults] lists the defaults that a type can have,
// and [Release.Rules] the rules.
//
// Each release has a table of constants. A generator (test/builtin/cmd/gendefaults) finds the
// constants by applying Kubernetes' own defaulting functions to random objects of all kinds. The
// rules are code in this package. The generator fails if a default depends on other fields and no
// rule fills it in.
//
// # What is exact
//
// Tests in test/builtin compare the results with those of Kubernetes' functions for random objects
// of all kinds, after converting both to the Go type and back. They include the fields that a
// server sets when it converts an object to its internal version, and which Options.Decoded omits.
// The package does not make other changes that the Go types cause: it does not change the form of
// quantities, and does not add fields that Go always writes, such as an empty status. It also does
// not implement the later steps of a server: admission, allocation of addresses and ports, and the
// strategies of resources.
//
// Two things are unknown: the signer of an old certificate request (certificates.k8s.io/v1beta1), and
// feature gates that a cluster sets.
//
// The package validates nothing. It ignores values that the server would reject.
package defaults
