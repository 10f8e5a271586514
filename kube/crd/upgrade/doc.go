// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package upgrade finds breaking changes between two states of a CustomResourceDefinition. A
// change is breaking if the new definition may reject stored objects, drop or change their
// fields, or cause requests of clients to fail. Start with Compare. It reads only the
// definitions and no objects, so it reports each change that could break some object. To
// check a particular object, call crd.Version.Validate and Default of the new definition.
//
// Each change has a rule of package internal/rules. Compare does not report harmless
// changes, such as wider bounds or a new optional field. It does report a field that is no longer
// required, because clients may then read objects without it, and a removed CEL rule about updates,
// because a controller may rely on it. A new CEL rule, a new pattern and a new condition in allOf,
// anyOf, oneOf or not are harmless if they accept every value that the old schema accepts. Compare
// reports a new rule, pattern or condition if it cannot prove this. Compare treats an old rule or
// condition in the same way if it concerns a field whose default changes. To find out whether an old
// rule reads the field, Compare resolves each path in the rule, such as self.part.name. It misses a
// rule that reads only the object around the field.
//
// Two other packages cover related problems. typed.Rekeyer handles changes of list types
// and keys, which affect managed fields. crd.Definition.ValidateUpdate reports changes
// that an API server rejects.
//
// Since Kubernetes 1.30, API servers tolerate invalid values that an update does not change
// (KEP-4008). A stored object with such a value is rejected only when a request changes that
// value.
package upgrade
