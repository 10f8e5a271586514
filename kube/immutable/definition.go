// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

// establishedNames requires that an established CustomResourceDefinition keeps its scope
// and kind.
func establishedNames(c *check) {
	if !c.hasCondition("Established") {
		return
	}
	const hint = "deleting the definition deletes all its objects"
	c.requireUnchanged(".spec.scope", fieldIsImmutable, hint)
	c.requireUnchanged(".spec.names.kind", fieldIsImmutable, hint)
}
