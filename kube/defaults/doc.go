// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package defaults sets the defaults of built-in kinds. A Kubernetes API server sets them
// when it decodes an object.
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
// The object is plain data, as JSON and YAML decoders return it. Fill does not change it.
// The result shares all unchanged parts with the object, and is the object itself if no
// default is missing. A Release covers all kinds and versions that Kubernetes registers,
// and their lists, even if servers do not serve them. Feature gates have the defaults of
// the release.
//
// # Where a default comes from
//
// Fill calls Options.Filled for each field that it fills in, with the origin of the
// default. The origin is an OpenAPI document, a constant that no OpenAPI document
// contains, or a rule that reads other fields. [Release.PossibleDefaults] lists the
// defaults that a type can have, and [Release.Rules] lists the rules.
//
// Each release has a table of constants. To find the constants, a generator
// (test/builtin/cmd/gendefaults) applies Kubernetes' own defaulting functions to random
// objects of all kinds. The rules are code in this package. If a default depends on
// other fields and no rule fills it in, the generator fails.
//
// # What is exact
//
// Tests in test/builtin fill random objects of all kinds with this package and with
// Kubernetes' own functions. After a conversion to the Go type and back, the results must
// be equal. The results include the fields that a server sets when it converts an object
// to its internal version. Options.Decoded omits these fields.
//
// A server makes some other changes that this package does not make. The package does not
// rewrite quantities, and does not add fields that Go always writes, such as an empty status.
// It also does not perform later steps of a server: admission, allocation of addresses and
// ports, and the strategies of resources.
//
// The package does not know the signer of an old certificate request
// (certificates.k8s.io/v1beta1). It also does not know which feature gates a
// cluster changes.
//
// The package does not validate. It ignores values that a server would reject.
package defaults
