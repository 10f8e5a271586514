// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build slim

package sources

import "fmt"

// With the build tag slim, the command does not import package kube/crd and the API server
// libraries that kube/crd needs. The command then builds in half the time, but does not validate
// custom resources. In several packages, such as this one, prediction and definitions, a file
// slim.go replaces the code that needs kube/crd.

type CRDVersion struct{}

func NeedsRules(purpose string) error {
	return fmt.Errorf("%s; %s, build it without the tag", NoRules, purpose)
}
