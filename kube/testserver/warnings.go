// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"net/http"
	"unicode/utf8"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// An API server sends at most maxWarnings characters of warnings in full. If there are more, it
// cuts each warning to maxCutWarning characters, and sends no more after maxWarnings characters.
const (
	maxWarnings   = 4096
	maxCutWarning = 256
)

// addWarnings adds warnings for the client to a response, like an API server. It leaves out
// repeated warnings, and warnings that a header cannot contain. Call it before the header is written.
func addWarnings(w http.ResponseWriter, texts ...string) {
	sent, _ := utilnet.ParseWarningHeaders(w.Header()["Warning"])
	all := make([]string, 0, len(sent)+len(texts))
	for _, s := range sent {
		all = append(all, s.Text)
	}
	all = append(all, texts...)

	seen := map[string]bool{"": true}
	kept, size, cut := []string(nil), 0, false
	for _, text := range all {
		if seen[text] || cut && size >= maxWarnings {
			continue
		}
		seen[text] = true
		if _, err := utilnet.NewWarningHeader(299, "", text); err != nil {
			continue
		}
		kept = append(kept, text)
		n := utf8.RuneCountInString(text)
		switch {
		case cut:
			size += min(n, maxCutWarning)
		case size+n <= maxWarnings:
			size += n
		default:
			cut, size = true, 0
			for _, text := range kept {
				size += min(utf8.RuneCountInString(text), maxCutWarning)
			}
		}
	}
	w.Header().Del("Warning")
	for _, text := range kept {
		if runes := []rune(text); cut && len(runes) > maxCutWarning {
			text = string(runes[:maxCutWarning])
		}
		header, _ := utilnet.NewWarningHeader(299, "", text) // cannot fail: the whole text is valid
		w.Header().Add("Warning", header)
	}
}
