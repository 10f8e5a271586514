// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scopes

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"
)

// Block is an example in spec/README.md. It begins with ```yaml and the rule.
type Block struct{ Rule, Text string }

// Blocks returns the examples of all rules that begin with one of the letters, in the order of
// the file.
func Blocks(file, letters string) ([]Block, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []Block
	for _, m := range regexp.MustCompile("(?s)```yaml (\\w+)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(letters, m[1][:1]) {
			all = append(all, Block{m[1], m[2]})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no examples of rules %s", file, letters)
	}
	return all, nil
}

// Read decodes an example. It returns an error for unknown fields.
func (b Block) Read(into any) error {
	if err := yaml.UnmarshalStrict([]byte(b.Text), into); err != nil {
		return fmt.Errorf("%s: %w", b.Rule, err)
	}
	return nil
}
