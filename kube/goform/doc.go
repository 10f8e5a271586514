// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package goform writes objects of built-in kinds as Kubernetes' Go types do.
//
// An API server decodes what it is sent into structs of Go, and encodes these again for the
// managed fields and for who reads the object. On that way a quantity of 1000m becomes 1,
// a false that is left out if it is false goes, and resources: {} comes. Start from a
// [Release], which [For] finds by its version:
//
//	release, err := goform.New("1.37")
//	if err != nil {
//		return err
//	}
//	decoded, dropped := release.Normalise(object)
//	for _, d := range dropped {
//		fmt.Println(d.Path, "is no field of the type")
//	}
//
// The object is plain data, as encoding/json and YAML decode it. It is not written to: what
// is returned shares with it all that stays the same, and is the object itself if it is in
// that form.
//
// What is stored is what the types' protocol buffers hold, too, which do not tell an empty
// list from none: [Release.Stored] writes that. [Release.NormaliseLike] and
// [Release.StoredLike] pass over what an object shares with one in that form.
//
// # What is exact
//
// The types are a table for each release, made by reflection over the scheme of Kubernetes
// (test/builtin/cmd/gengoform). For random objects of all kinds in all versions,
// what comes out is what encoding the decoded object gives; test/builtin compares
// them. Only names, kinds and tags of fields count: no defaults are filled in, which is
// what package kube/defaults does, and nothing is validated.
//
// A value that the Go type cannot decode, such as a number where there is a text, is left
// as it is: a server refuses the object. What stands where a type takes any JSON stays as
// it is, too.
package goform
