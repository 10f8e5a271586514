// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

// establishedNames: a CustomResourceDefinition that is served keeps what its resources are
// stored under.
func establishedNames(c *check) {
	if !c.hasCondition("Established") {
		return
	}
	const hint = "all objects go with the definition"
	c.keep(".spec.scope", fieldIsImmutable, hint)
	c.keep(".spec.names.kind", fieldIsImmutable, hint)
}
