// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package upgrade finds breaking changes between two states of a CustomResourceDefinition. A change
// is breaking if the new definition may reject a stored object, drop or change fields of a stored
// object, or make requests of clients fail. Start with Compare. It reads only the definitions, so
// it reports problems that may occur. To check a certain object, call crd.Version.Validate and
// Default of the new definition.
//
// Each change has a rule of package internal/rules. Compare does not report changes without such an
// effect, for example wider bounds or a new optional field. It also does not report a new CEL rule,
// pattern, or condition in allOf, anyOf, oneOf or not, if it can prove that the condition accepts
// every value that the old schema accepts.
//
// typed.Rekeyer handles changes of list types and keys, which affect managed fields.
// crd.Definition.ValidateUpdate reports changes that an API server rejects.
//
// Since Kubernetes 1.30, API servers tolerate invalid values that an update does not change
// (KEP-4008). A stored object with such a value is rejected only when a request changes that
// value.
package upgrade
