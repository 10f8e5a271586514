// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package defaults fills into objects of built-in kinds what an API server of Kubernetes
// fills in when it decodes them.
//
// OpenAPI documents tell of few of these defaults; most are Go code of the server. Start
// from a [Release], which [For] finds by its version:
//
//	release, err := defaults.New("1.37")
//	if err != nil {
//		return err
//	}
//	stored := release.Fill(object, defaults.Options{Now: time.Now()})
//
// The object is plain data, as encoding/json and YAML decode it. It is not written to:
// what is returned shares with it all that stays the same, and is the object itself if
// nothing is to be filled in. Kinds and versions of the scheme of Kubernetes are known,
// and lists of them, whether a server serves them or not; feature gates are as the release
// has them by default.
//
// # Where a default comes from
//
// Options.Filled is told of each field: whether OpenAPI documents have its default, or it
// is a constant that none has, or comes of a rule that looks at other fields, by its name.
// [Release.PossibleDefaults] lists the defaults that a type can have, [Release.Rules] the rules.
//
// Constants are a table for each release, in the directory tables. A generator finds them
// out by random objects of all kinds, before and after Kubernetes' own functions
// (test/builtin/cmd/gendefaults). Rules are ours, one idea a file; the generator
// fails if a field depends on others and no rule fills it in.
//
// # What is exact
//
// For random objects of all kinds that set and leave out every field the outcome is that
// of Kubernetes' functions, once both went through the Go type; test/builtin
// compares them. So are three things that objects gain on the way through the version that
// a server has them in, which Options.Decoded leaves out. What Go's types change besides is not done here: quantities keep their
// spelling, and fields that Go always writes, such as an empty status, are not added.
// Neither is what comes after decoding: admission, allocated addresses and ports, the
// strategies of resources. Two things are not known: which signer an old request for a
// certificate (certificates.k8s.io/v1beta1) is for, and what clusters set with feature
// gates of their own.
//
// The package validates nothing: what the server would refuse is passed over.
package defaults
