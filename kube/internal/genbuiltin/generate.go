// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// generate encodes the types in the documents in the format that package openapi embeds.
func generate(release string, docs []openapi.Document) ([]byte, error) {
	content, err := contentOf(release, docs)
	if err != nil {
		return nil, err
	}
	return compact.Encode(content)
}

// knownWarnings lists the paths of two known errors in the OpenAPI documents of releases up to 1.34:
// an object that is marked as a list, and a list key that is not a field of the items.
var knownWarnings = []string{
	`components.schemas["io.k8s.apimachinery.pkg.apis.meta.v1.Status"].properties.details`,
	`components.schemas["io.k8s.api.storagemigration.v1alpha1.StorageVersionMigrationList"].properties.items.x-kubernetes-list-map-keys[0]`,
}

func contentOf(release string, docs []openapi.Document) (compact.Content, error) {
	content := compact.Content{Release: release}
	catalog := openapi.New(openapi.Options{})
	if err := catalog.AddOpenAPIs(docs...); err != nil {
		return content, err
	}
	for _, w := range catalog.Warnings() {
		if !slices.Contains(knownWarnings, w.Path) {
			return content, w
		}
	}
	seen := map[string]bool{}
	for _, name := range catalog.Types() {
		// The schema contains the type itself and all types inside it. It also contains the two
		// types for data without a schema.
		s, _, _ := catalog.LookupType(name)
		for _, td := range s.Types {
			if !seen[td.Name] {
				seen[td.Name] = true
				content.Types = append(content.Types, td)
			}
		}
	}
	kinds, err := served(release, catalog)
	if err != nil {
		return content, err
	}
	for _, k := range kinds {
		group, version := split(k.APIVersion)
		content.Kinds = append(content.Kinds, compact.Kind{
			Group: group, Version: version, Kind: k.Kind, Type: k.Type,
			Resource: k.Resource, Scope: uint8(k.Scope), Subresources: k.Subresources,
		})
	}
	return content, nil
}

// served returns the kinds that a release serves. The OpenAPI documents of a prerelease
// also list kinds that the final release will not serve.
func served(release string, catalog *openapi.Catalog) ([]openapi.Kind, error) {
	kinds := catalog.Kinds()
	if !strings.Contains(release, "-") {
		return kinds, nil
	}
	removed, err := specs.RemovedKinds(release)
	return slices.DeleteFunc(kinds, func(k openapi.Kind) bool { return slices.Contains(removed, k.Type) }), err
}

func split(apiVersion string) (group, version string) {
	if dir, file := filepath.Split(apiVersion); dir != "" {
		return dir[:len(dir)-1], file
	}
	return "", apiVersion
}
