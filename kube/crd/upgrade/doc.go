// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package upgrade finds breaking changes between two states of a CustomResourceDefinition: The
// new definition may reject a stored object, drop or change its fields, or make requests of
// clients fail. Start with Compare. It reads only the definitions, so it reports problems that
// may occur. To check a certain object, call crd.Version.Validate and Default of the new
// definition.
//
// Each change has a rule of package internal/rules. Changes without such an effect are not
// reported, for example wider bounds or a new optional field. The same applies to a CEL rule, a
// pattern, or a condition in allOf, anyOf, oneOf or not that accepts everything the old schema
// did, if the package can prove it.
//
// typed.Rekeyer handles changes of list types and keys, which affect managed fields.
// crd.Definition.ValidateUpdate reports changes that an API server rejects.
//
// Since Kubernetes 1.30, API servers tolerate invalid values that an update does not change
// (KEP-4008). A stored object with such a value is rejected only when a request changes that
// value.
package upgrade
