// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "maps"

// withServiceAccountName returns a copy of object as a server stores it. If the pod spec
// at path sets only the deprecated field serviceAccount, the server copies it to
// serviceAccountName.
func withServiceAccountName(object map[string]any, path ...string) map[string]any {
	if len(path) == 0 {
		if account := text(object["serviceAccount"]); account != "" && text(object["serviceAccountName"]) == "" {
			object = maps.Clone(object)
			object["serviceAccountName"] = account
		}
		return object
	}
	below, ok := object[path[0]].(map[string]any)
	if !ok {
		return object
	}
	object = maps.Clone(object)
	object[path[0]] = withServiceAccountName(below, path[1:]...)
	return object
}
