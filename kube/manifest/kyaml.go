// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml/kyaml"
)

// isKYAML reports whether a document is formatted like the output of kubectl -o kyaml: as
// a flow mapping on several lines.
func isKYAML(n *yaml.Node) bool {
	root := n.Content[0]
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle == 0 || len(root.Content) == 0 {
		return false
	}
	for i, key := range root.Content {
		if i%2 == 0 && (key.Line == root.Line || i > 0 && key.Line == root.Content[i-1].Line) {
			return false
		}
	}
	return true
}

// renderKYAML formats a document as KYAML, with its comments. The text starts with the line
// "---". renderKYAML changes the style of the nodes.
func renderKYAML(n *yaml.Node, f layout) ([]byte, error) {
	toBlockStyle(n) // the encoder keeps comments only on lines of their own, as in block style
	text, err := f.render(n)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = new(kyaml.Encoder).FromYAML(bytes.NewReader(text), &out)
	return out.Bytes(), err
}
