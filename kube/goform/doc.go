// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package goform converts objects of built-in kinds to the form that Kubernetes' Go types
// write.
//
// An API server decodes each object into Go structs and encodes them again for managed
// fields and responses. This changes objects: the quantity 1000m becomes 1, a false value
// with omitempty disappears, and "resources: {}" appears. Start from a [Release], which
// [New] returns for a version:
//
//	release, err := goform.New("1.37")
//	if err != nil {
//		return err
//	}
//	decoded, dropped := release.Normalise(object)
//	for _, d := range dropped {
//		fmt.Println(d.Path, "is not a field of the type")
//	}
//
// The object is plain data, as JSON and YAML decoders return it. Normalise does not change
// it. The result shares all unchanged parts with the object, and is the object itself if
// nothing changes.
//
// Servers store objects as protocol buffers, which do not distinguish an empty list from
// an absent one. [Release.Stored] returns an object in the form that it has after it was
// stored and read again. If an object shares parts with another object that already has
// the right form, [Release.StoredLike] and [Release.NormaliseLike] skip these parts.
//
// # What is exact
//
// Each release has a table of types, which test/builtin/cmd/gengoform generates from
// Kubernetes' scheme by reflection. Tests in test/builtin compare the results with
// decoding and encoding by Kubernetes itself, for random objects of all kinds in all
// versions. The result depends only on the names, kinds and tags of Go fields. The
// package sets no defaults, which is the task of kube/defaults, and validates
// nothing.
//
// Values that the Go type cannot decode stay unchanged, such as a number in a string
// field. A server would reject such an object. [Release.Undecodable] finds some of these
// values, such as a fraction in an integer field. Fields that accept any JSON also stay
// unchanged.
package goform
