// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "maps"

// withAccount is an object as a server stores it: what the spec of a pod at a path calls its
// service account by the old name only has the new one, too.
func withAccount(object map[string]any, path ...string) map[string]any {
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
	object[path[0]] = withAccount(below, path[1:]...)
	return object
}
