// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"

	"github.com/dovetail-ssa/dovetail/kube/internal/compact"
	"github.com/dovetail-ssa/dovetail/kube/internal/specs"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// documents returns the OpenAPI v3 documents of a release.
func documents(release string) ([]openapi.Document, error) {
	files, err := specs.V3(release)
	if err != nil {
		return nil, err
	}
	var docs []openapi.Document
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		docs = append(docs, openapi.Document{Name: filepath.Base(file), Data: data})
	}
	return docs, nil
}

// generate returns the types of documents in the form that is embedded.
func generate(release string, docs []openapi.Document) ([]byte, error) {
	content, err := contentOf(release, docs)
	if err != nil {
		return nil, err
	}
	return compact.Encode(content)
}

func contentOf(release string, docs []openapi.Document) (compact.Content, error) {
	content := compact.Content{Release: release}
	catalog := openapi.New()
	if err := catalog.AddOpenAPIs(docs...); err != nil {
		return content, err
	}
	if warnings := catalog.Warnings(); len(warnings) > 0 {
		return content, warnings[0]
	}
	seen := map[string]bool{}
	for _, name := range catalog.Types() {
		// The schema of a type has the types below it too, and the two types
		// for data without a schema among them.
		s, _, _ := catalog.LookupType(name)
		for _, td := range s.Types {
			if !seen[td.Name] {
				seen[td.Name] = true
				content.Types = append(content.Types, td)
			}
		}
	}
	for _, k := range catalog.Kinds() {
		group, version := split(k.APIVersion)
		content.Kinds = append(content.Kinds, compact.Kind{
			Group: group, Version: version, Kind: k.Kind, Type: k.Type,
			Resource: k.Resource, Scope: uint8(k.Scope), Subresources: k.Subresources,
		})
	}
	return content, nil
}

func split(apiVersion string) (group, version string) {
	if dir, file := filepath.Split(apiVersion); dir != "" {
		return dir[:len(dir)-1], file
	}
	return "", apiVersion
}
