// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// sbom writes a file that lists the modules in a program, in CycloneDX format.
func (b *build) sbom(program, name string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	return b.writeSBOM(name, component("golang", info.Main.Path, b.version), goComponents(info))
}

// component returns an entry for a CycloneDX list of components. The argument kind is the
// package type in the package URL, for example "npm".
func component(kind, name, version string) cyclonedx.Component {
	return cyclonedx.Component{Type: cyclonedx.ComponentTypeLibrary, Name: name, Version: version,
		BOMRef: name + "@" + version, PackageURL: "pkg:" + kind + "/" + strings.Replace(name, "@", "%40", 1) + "@" + version}
}

// goComponents returns one component for Go's standard library, and one for each module in a
// program.
func goComponents(info *debug.BuildInfo) []cyclonedx.Component {
	components := []cyclonedx.Component{component("golang", "stdlib", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		components = append(components, component("golang", m.Path, m.Version))
	}
	return components
}

// writeSBOM writes the list of the components of an application.
func (b *build) writeSBOM(name string, application cyclonedx.Component, components []cyclonedx.Component) error {
	application.Type = cyclonedx.ComponentTypeApplication
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Timestamp: b.at.Format("2006-01-02T15:04:05Z"), Component: &application}
	bom.Components = &components
	out, err := os.Create(filepath.Join(b.out, name))
	if err != nil {
		return err
	}
	defer out.Close()
	if err := cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return out.Close()
}

// provenance writes an in-toto statement with an SLSA predicate. It describes the commit, the
// build with the versions of its tools, and the published files. The statement is not signed: the
// publisher must sign it.
func (b *build) provenance() error {
	all, err := b.artifacts()
	if err != nil {
		return err
	}
	type digest map[string]string
	type subject struct {
		Name   string `json:"name"`
		Digest digest `json:"digest"`
	}
	var subjects []subject
	for _, a := range all {
		subjects = append(subjects, subject{a.name, digest{"sha256": a.sha256}})
	}
	statement := map[string]any{
		"_type":         "https://in-toto.io/Statement/v1",
		"subject":       subjects,
		"predicateType": "https://slsa.dev/provenance/v1",
		"predicate": map[string]any{
			"buildDefinition": map[string]any{
				"buildType":          "https://" + root + "/release",
				"externalParameters": map[string]any{"version": b.version, "platforms": b.platforms},
				"internalParameters": b.tools,
				"resolvedDependencies": []any{map[string]any{
					"uri": "git+https://" + root + "@" + b.version, "digest": digest{"gitCommit": b.commit},
				}},
			},
			"runDetails": map[string]any{"builder": map[string]any{"id": "https://" + root + "/release"}},
		},
	}
	data, err := json.MarshalIndent(statement, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.out, "provenance.json"), append(data, '\n'), 0o644)
}
