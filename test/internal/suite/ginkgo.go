// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// ginkgoReport has the fields of Ginkgo's JSON report that this package reads.
type ginkgoReport []struct {
	SpecReports []struct {
		ContainerHierarchyTexts []string
		LeafNodeType            string
		LeafNodeText            string
		State                   string
		CapturedGinkgoWriterOutput,
		CapturedStdOutErr string
		Failure struct{ Message string }
	}
}

// readGinkgo adds the specs of a Ginkgo report to the results. The name of a spec is
// "package.container text leaf text". If several specs have the same name, it adds a number.
func (r *Result) readGinkgo(file, pkg string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var report ginkgoReport
	if err := json.Unmarshal(text, &report); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	seen := map[string]int{}
	for _, suite := range report {
		for _, spec := range suite.SpecReports {
			if spec.LeafNodeType != "It" {
				continue
			}
			name := pkg + "." + strings.Join(append(spec.ContainerHierarchyTexts, spec.LeafNodeText), " ")
			if seen[name]++; seen[name] > 1 {
				name = fmt.Sprintf("%s#%d", name, seen[name])
			}
			switch spec.State {
			case "passed":
				r.Passed[name] = true
			case "skipped", "pending":
				r.Skipped[name] = true
			default:
				r.Failed[name] = true
				out := &strings.Builder{}
				fmt.Fprintf(out, "%s\n%s%s", spec.Failure.Message, spec.CapturedGinkgoWriterOutput, spec.CapturedStdOutErr)
				r.output[name] = out
			}
		}
	}
	return nil
}
