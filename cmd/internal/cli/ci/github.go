// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ci

import (
	"fmt"
	"io"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/rules"
)

// These replacers escape the text and the properties of GitHub workflow commands,
// https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands.
var (
	inText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// github writes one workflow command for each finding. GitHub shows the finding at its position in
// the file.
func (r *Report) github(w io.Writer) error {
	for i := range r.findings {
		f := &r.findings[i]
		command := [...]string{rules.Hint: "notice", rules.Warning: "warning", rules.Error: "error"}[f.Rule.Severity]
		properties := []string{"title=" + inProperty.Replace(r.Command+": "+f.Rule.ID)}
		if place := f.location(); place != nil {
			properties = append(properties, "file="+inProperty.Replace(f.At.File))
			if f.At.Line > 0 {
				properties = append(properties, fmt.Sprintf("line=%d", f.At.Line))
			}
			if f.At.Column > 0 {
				properties = append(properties, fmt.Sprintf("col=%d", f.At.Column))
			}
		}
		text := f.text()
		if f.Subject.Name != "" {
			text = f.Subject.Name + ": " + text
		}
		if _, err := fmt.Fprintf(w, "::%s %s::%s\n", command, strings.Join(properties, ","), inText.Replace(words.Visible(text))); err != nil {
			return err
		}
	}
	return nil
}
