// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/immutable"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// isRelease reports whether a text looks like a release, such as 1.36, instead of a file name.
var isRelease = regexp.MustCompile(`^v?\d+(\.\d+)*(-.*)?$`).MatchString

// readKubernetes reads the built-in types of Kubernetes, from a known release or from OpenAPI
// documents.
func readKubernetes(r *command.Run, t *Types, s *Flags) error {
	release := cmp.Or(s.kubernetes, openapi.Release())
	if !s.compared && isNewer(release) {
		r.Warnf("%s: Dovetail does not know Kubernetes %s, so for built-in kinds, it uses the types, defaults and rules of the nearest release, %s", s.kubernetesFlag, release, openapi.Release())
		release = openapi.Release()
	}
	if s.compared && !isRelease(release) {
		t.options = s.catalogOptions()
		t.Catalog = openapi.New(t.options)
		t.Searched = []string{release}
		return readDocuments(r, t, s)
	}
	if err := t.useRelease(release, s); err != nil && s.compared {
		return command.Usagef("%s: %v; for another release, pass a file or a directory with its OpenAPI v3 documents", s.kubernetesFlag, err)
	} else if err != nil {
		return command.Usagef("%s: %v", s.kubernetesFlag, err)
	}
	if s.compared {
		return nil
	}
	WarnMissing(r, release)
	return nil
}

// catalogOptions returns the options for a catalog, according to the flags.
func (s *Flags) catalogOptions() openapi.Options {
	return openapi.Options{KnownUnions: true, DeclarativeDefaults: s.Proposals.DeclarativeDefaults || s.FillStoredKeys}
}

// useRelease makes t use the types and rules of a known release.
func (t *Types) useRelease(release string, s *Flags) (err error) {
	t.options = s.catalogOptions()
	if t.Catalog, err = openapi.BuiltinRelease(release, t.options); err != nil {
		return err
	}
	t.Searched = []string{"the built-in types of Kubernetes " + t.Catalog.Release()}
	t.release, _ = defaults.New(release)
	t.fixes, _ = immutable.New(release)
	return nil
}

// isNewer reports whether a release is newer than all releases that Dovetail knows.
func isNewer(version string) bool {
	if !isRelease(version) {
		return false
	}
	numbers := func(version string) (n []int) {
		for part := range strings.SplitSeq(Minor(version), ".") {
			i, _ := strconv.Atoi(part) // a number that does not fit stays larger than every known release
			n = append(n, i)
		}
		return n
	}
	is := numbers(version)
	return len(is) == 2 && !slices.ContainsFunc(openapi.Releases(), func(known string) bool { return slices.Compare(is, numbers(known)) <= 0 })
}

// WarnMissing prints a warning if Dovetail does not have all data about a release.
func WarnMissing(r *command.Run, release string) {
	if missing := missingData(release); missing != "" {
		r.Warnf("%s", missing)
	}
}

// missingData returns a warning that lists the data about a release that Dovetail does not
// have. It returns "" if Dovetail has all data.
func missingData(release string) string {
	missing := openapi.Missing(release)
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("Kubernetes %s: Dovetail does not know %s of this release, so a server may answer differently", Minor(release), words.And(missing))
}

// readDocuments reads types from files. The files contain the documents that an API server
// serves at /openapi/v3.
func readDocuments(r *command.Run, t *Types, s *Flags) error {
	if _, err := os.Stat(s.kubernetes); s.kubernetes != "-" && os.IsNotExist(err) {
		return command.Usagef("%s: %s is neither a release, such as %s, nor a file or directory with OpenAPI v3 documents", s.kubernetesFlag, s.kubernetes, Minor(openapi.Release()))
	}
	files, errs := input.Files{Flag: s.kubernetesFlag, Names: []string{s.kubernetes}}.All(r)
	if len(errs) > 0 {
		return errs
	}
	var docs []openapi.Document
	for _, file := range files {
		data, shown, err := input.ReadFile(r, s.kubernetesFlag, file.Name)
		if err != nil {
			return err
		}
		if file.Listed && !openapi.IsDocument(data) {
			if _, err := manifest.ReadValues(shown, data); err == nil {
				input.NoteSkipped(r, shown, "it is not an OpenAPI document")
				continue
			}
		}
		if openapi.IsV2(data) {
			return &manifest.Error{File: shown, Message: "this is an OpenAPI v2 document, which has no defaults: pass the v3 documents"}
		}
		docs = append(docs, openapi.Document{Name: shown, Data: data})
		s.documents = append(s.documents, shown)
	}
	t.Documents = true
	if err := t.Catalog.AddOpenAPIs(docs...); err != nil {
		return input.WithPositions(err, docs...)
	}
	t.Definitions = map[string]map[string]any{}
	for _, d := range docs {
		values, _ := manifest.ReadValues(d.Name, d.Data) // the catalog has already parsed the document without an error
		top, _ := values[0].(map[string]any)
		components, _ := top["components"].(map[string]any)
		schemas, _ := components["schemas"].(map[string]any)
		for name, s := range schemas {
			t.Definitions[name], _ = s.(map[string]any)
		}
	}
	if len(t.Catalog.Kinds()) == 0 {
		return command.Usagef("%s: %s defines no kinds", s.kubernetesFlag, s.kubernetes)
	}
	return nil
}
