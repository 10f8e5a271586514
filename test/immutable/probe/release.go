// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package probe

import "strings"

// OfRelease removes texts such as " since 1.36" and " until 1.36" from the end of a line. The
// second result reports whether the line applies to the given minor release. "since" and "until"
// include the release that they name.
func OfRelease(line, minor string) (rest string, holds bool) {
	words := strings.Split(line, " ")
	holds = true
	for len(words) >= 2 {
		end := len(words) - 2
		switch words[end] { // all minor releases have two digits, so comparing the texts is enough
		case "since":
			holds = holds && minor >= words[end+1]
		case "until":
			holds = holds && minor <= words[end+1]
		default:
			return strings.Join(words, " "), holds
		}
		words = words[:end]
	}
	return strings.Join(words, " "), holds
}
