// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package diag

import "strings"

// Place returns path, as findings have it, without what tells items of lists apart.
func Place(path string) string {
	if !strings.Contains(path, "[") {
		return path
	}
	var b strings.Builder
	quoted, depth := false, 0
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case quoted && c == '\\':
			i++
		case depth > 0 && c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']' && depth > 0:
			depth--
			continue
		}
		if depth == 0 {
			b.WriteByte(path[i])
		}
	}
	return b.String()
}
