// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	yamlv2 "go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// throughYAML returns v, which has YAML tags, as plain data.
func throughYAML(v any) (any, error) {
	text, err := yamlv2.Marshal(v)
	if err != nil {
		return nil, err
	}
	docs, err := manifest.Values("schema", text)
	if err != nil || len(docs) != 1 {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return docs[0], nil
}
