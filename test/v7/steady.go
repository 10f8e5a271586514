// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package v7

import (
	"regexp"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/fieldsv1"
)

// Steady returns a codec whose error messages do not depend on earlier calls. In
// structured-merge-diff v7, some details of the messages depend on the earlier contents of a
// buffer in encoding/json/v2. Steady removes the quoted text of an invalid escape, the offset
// of an error in the JSON, and the name of the entry with an invalid string. It also removes an
// invalid character outside of ASCII, because the message has only its first byte if the buffer
// ends there. In the position of an error, it keeps only the first name. It keeps the slashes
// between the names, because the number of names does not vary.
func Steady(c fieldsv1.Codec) fieldsv1.Codec { return steady{c} }

type steady struct{ fieldsv1.Codec }

func (c steady) Read(document []byte, pieces []int) fieldsv1.Read {
	r := c.Codec.Read(document, pieces)
	r.Error, r.AgainError = steadyText(r.Error), steadyText(r.AgainError)
	return r
}

func (c steady) Element(text string) (written, err string) {
	written, err = c.Codec.Element(text)
	return written, steadyText(err)
}

var unsteady = []struct {
	pattern *regexp.Regexp
	steady  string
}{
	{regexp.MustCompile(` after offset \d+: parsing JSON: jsontext`), ": parsing JSON: jsontext"},
	{regexp.MustCompile("(invalid escape sequence )(`[^`]*`|\"(?:[^\"\\\\]|\\\\.)*\")"), "$1"},
	{regexp.MustCompile(`(invalid character )'(?:\\x[0-9a-f]{2}|[^\x00-\x7f]+)'`), "$1"},
	{regexp.MustCompile(`( in string)(?: within "(?:[^"\\]|\\.)*")`), "$1"},
}

func steadyText(err string) string {
	if strings.Contains(err, "jsontext: ") {
		for _, u := range unsteady {
			err = u.pattern.ReplaceAllString(err, u.steady)
		}
		err = place.ReplaceAllStringFunc(err, func(text string) string {
			parts := place.FindStringSubmatch(text)
			return parts[1] + strings.Repeat("/", strings.Count(parts[2], "/")) + `"`
		})
	}
	return err
}

// place matches the position of an error: the first name, and the names that follow it.
var place = regexp.MustCompile(`(?s)(jsontext: .*? within "/(?:[^"\\/]|\\.)*)((?:[^"\\]|\\.)*)"`)
