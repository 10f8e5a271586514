// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"slices"
	"strings"
	"unicode"
)

// openAPIText converts a comment to a description, as openapi-gen does: each paragraph becomes
// one line, and indented lines stay separate.
func openAPIText(lines []string) string {
	var b []byte
	cut := func() {
		if len(b) > 0 {
			b = b[:len(b)-1]
		}
	}
	for _, line := range lines {
		if line == "---" {
			break
		}
		line = strings.TrimRight(line, " ")
		lead := strings.TrimLeft(line, " ")
		switch {
		case line == "":
			cut()
			b = append(b, "\n\n"...)
		case strings.HasPrefix(lead, "TODO"), strings.HasPrefix(lead, "+"):
		case strings.HasPrefix(line, " "), strings.HasPrefix(line, "\t"):
			cut()
			b = append(b, "\n"+line+"\n"...)
		default:
			b = append(b, line+" "...)
		}
	}
	return strings.TrimSpace(string(b))
}

// crdText converts a comment to a description, as controller-gen does. It stops at three dashes,
// and skips markers and lines that start with TODO.
func crdText(lines []string) string {
	var out []string
	code := false
	for _, line := range lines {
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			code = !code
		}
		if !code {
			if strings.HasPrefix(strings.TrimSpace(line), "+") {
				continue
			}
			if strings.HasPrefix(line, "TODO") {
				continue
			}
			if strings.HasPrefix(line, "---") {
				break
			}
		}
		out = append(out, line)
	}
	text := strings.TrimSpace(strings.Join(out, "\n"))
	for strings.Contains(text, "\n\n\n") {
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	return text
}

// shortened cuts a text that has more than the given number of characters. It keeps as many
// whole sentences as fit. If not even the first sentence fits, it keeps the first words and adds
// an ellipsis. A negative number means no limit.
func shortened(text string, most int) string {
	all := []rune(text)
	if most < 0 || len(all) <= most {
		return text
	}
	all = all[:most]
	reversed := slices.Clone(all)
	slices.Reverse(reversed)
	last := func(is func(rune) bool) int { return most - 1 - slices.IndexFunc(reversed, is) }
	if end := last(func(r rune) bool { return unicode.Is(unicode.Sentence_Terminal, r) }); end > 0 && end < most {
		return string(all[:end+1])
	}
	if end := last(unicode.IsSpace); end > 0 && end < most {
		return string(all[:end]) + "..."
	}
	if most == 0 {
		return ""
	}
	return string(all) + "..."
}
