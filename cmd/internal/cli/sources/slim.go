// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build slim

package sources

import "fmt"

// With the build tag slim, the command does without package kube/crd and the
// libraries of the API server behind it: it builds in half the time, and judges
// no custom resource. What takes the place of crd.go stands in a slim.go beside it, here
// and in server and definitions.

type CRDVersion struct{}

// NoRules says why custom resources are not judged.
const NoRules = "this dovetail was built with the tag slim, without the rules for custom resources"

func NeedsRules(what string) error {
	return fmt.Errorf("%s; %s, build it without the tag", NoRules, what)
}
