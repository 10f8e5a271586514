// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// krew writes the manifest for "kubectl krew", which installs an archive as the plugin
// "kubectl dovetail".
func (b *build) krew() error {
	type file struct {
		From string `yaml:"from"`
		To   string `yaml:"to"`
	}
	type labels struct {
		MatchLabels map[string]string `yaml:"matchLabels"`
	}
	type platform struct {
		Selector labels `yaml:"selector"`
		URI      string `yaml:"uri"`
		SHA256   string `yaml:"sha256"`
		Files    []file `yaml:"files"`
		Bin      string `yaml:"bin"`
	}
	all, err := b.artifacts()
	if err != nil {
		return err
	}
	var list []platform
	for _, a := range all {
		if !strings.HasPrefix(a.name, "dovetail_") {
			continue
		}
		base, archive := strings.CutSuffix(a.name, ".tar.gz")
		bin := "dovetail"
		if !archive {
			if base, archive = strings.CutSuffix(a.name, ".zip"); !archive {
				continue
			}
			bin += ".exe"
		}
		files := []file{{base + "/" + bin, "."}, {base + "/LICENSE", "."}}
		for _, p := range b.nativePrograms() {
			files = append(files, file{base + "/" + p.name + strings.TrimPrefix(bin, "dovetail"), "."})
		}
		parts := strings.Split(base, "_")
		list = append(list, platform{
			Selector: labels{map[string]string{"os": parts[2], "arch": parts[3]}},
			URI:      "https://" + root + "/releases/download/" + b.version + "/" + a.name, SHA256: a.sha256,
			Files: files, Bin: bin,
		})
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(map[string]any{
		"apiVersion": "krew.googlecontainertools.github.com/v1alpha2", "kind": "Plugin",
		"metadata": map[string]any{"name": "dovetail"},
		"spec": map[string]any{
			"version": b.version, "homepage": "https://" + root, "shortDescription": "Show what a server-side apply would change",
			"description": "Shows offline what an apply or an update would store, the owners of all\nfields and the conflicts; validates objects, checks CRDs and their upgrades.\n",
			"platforms":   list,
		},
	}); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.out, "krew.yaml"), out.Bytes(), 0o644)
}
