// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoncall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// typeSet is a set of types. Calls refer to a set by its number.
type typeSet struct{ *sources.Types }

type typesArgs struct {
	KubernetesVersion string          `json:"kubernetesVersion"`
	CRDs              json.RawMessage `json:"crds"`
	Schema            *string         `json:"schema"`
	Type              string          `json:"type"`
	Untyped           bool            `json:"untyped"`
	Proposals         struct {
		DeclarativeDefaults bool `json:"declarativeDefaults"`
		Immutability        bool `json:"immutability"`
	} `json:"proposals"`
}

type typesAnswer struct {
	result
	// Types is the number of the set. It is 0 if there are errors.
	Types             int    `json:"types"`
	KubernetesVersion string `json:"kubernetesVersion"`
	// Load lists the releases that the caller must load with LoadRelease before it repeats the
	// call.
	Load []string `json:"load,omitempty"`
}

// missingTypeHint explains how to provide a missing type.
const missingTypeHint = "pass its CustomResourceDefinition in crds, its schema in schema, or set untyped"

// schemaName is the name that messages use for the schema in a call.
const schemaName = "schema"

func (e *Engine) addTypes(text json.RawMessage) answer {
	var args typesArgs
	if err := decode(text, &args); err != nil {
		return refused(err)
	}
	in := &inputs{}
	given := sources.Given{
		Kubernetes: args.KubernetesVersion, TypeName: args.Type, Untyped: args.Untyped,
		Proposals:       sources.Proposals{DeclarativeDefaults: args.Proposals.DeclarativeDefaults, ImmutabilityMarkers: args.Proposals.Immutability},
		MissingTypeHint: missingTypeHint,
	}
	bad := in.documents("crds", args.CRDs, &given.CRDs)
	switch {
	case bad != nil:
	case args.Schema != nil && (len(given.CRDs) > 0 || args.KubernetesVersion != ""):
		bad = badRequest("schema replaces all other types: leave out crds and kubernetesVersion")
	case args.Schema == nil && args.Type != "":
		bad = badRequest("type needs schema, because it names a type there")
	case args.Schema != nil:
		if bad = checkText([]byte(*args.Schema)); bad != nil {
			bad.Source = schemaName
		}
		given.Schema = &openapi.Document{Name: schemaName, Data: []byte(*args.Schema)}
	}
	if bad != nil {
		return refused(bad)
	}
	if missing := missingReleases(args); len(missing) > 0 {
		return finish(&typesAnswer{Load: missing})
	}
	t, warnings, err := sources.New(given)
	if err != nil {
		return refused(in.errorProblems(err)...)
	}
	if args.Schema != nil && args.Type == "" {
		return refused(badRequest("schema needs type: one of %s", words.ShortList(t.Parser.TypeNames())))
	}
	a := typesAnswer{}
	for _, w := range warnings {
		a.Warnings = append(a.Warnings, in.problem(w))
	}
	if t.Catalog != nil {
		a.KubernetesVersion = t.Catalog.Release()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	a.Types = e.last
	e.types[a.Types] = &typeSet{t}
	return finish(&a)
}

// documents reads an argument that contains documents, and appends the documents to a list. The
// argument is a string, an object, or a list of strings and objects.
func (in *inputs) documents(name string, given json.RawMessage, all *[]openapi.Document) *problem {
	given = bytes.TrimSpace(given)
	if len(given) == 0 || string(given) == "null" {
		return nil
	}
	if given[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(given, &list); err != nil {
			return badRequest("%s: %v", name, err)
		}
		for i, item := range list {
			item = bytes.TrimSpace(item)
			if item[0] == '[' {
				return badRequest("%s[%d]: pass a string or an object, not a list", name, i)
			}
			if err := in.documents(fmt.Sprintf("%s[%d]", name, i), item, all); err != nil {
				return err
			}
		}
		return nil
	}
	text, bad := in.text(name, given)
	if bad == nil {
		*all = append(*all, openapi.Document{Name: name, Data: text})
	}
	return bad
}

type infoAnswer struct {
	result
	Releases       []string `json:"releases"`
	DefaultRelease string   `json:"defaultRelease"`
}

// info returns the releases that the engine knows.
func info() answer {
	a := infoAnswer{DefaultRelease: sources.Minor(openapi.Release())}
	for _, v := range openapi.Releases() {
		a.Releases = append(a.Releases, sources.Minor(v))
	}
	return finish(&a)
}

type kindsAnswer struct {
	result
	Kinds []kind `json:"kinds"`
}

type kind struct {
	APIVersion   string   `json:"apiVersion"`
	Kind         string   `json:"kind"`
	Resource     string   `json:"resource"`
	Scope        string   `json:"scope"`
	Subresources []string `json:"subresources"`
	Source       string   `json:"source"`
}

func (t *typeSet) kinds(struct{}) *kindsAnswer {
	a := &kindsAnswer{Kinds: []kind{}}
	if t.Catalog == nil {
		return finish(a)
	}
	for _, k := range t.Catalog.Kinds() {
		a.Kinds = append(a.Kinds, kind{k.APIVersion, k.Kind, k.Resource, k.Scope.String(), append([]string{}, k.Subresources...), k.Source})
	}
	return finish(a)
}

type schemaArgs struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Type       string `json:"type"`
}

type schemaAnswer struct {
	result
	Type   string `json:"type,omitempty"`
	Schema any    `json:"schema,omitempty"`
	YAML   string `json:"yaml,omitempty"`
}

func (t *typeSet) schema(args schemaArgs) *schemaAnswer {
	a := &schemaAnswer{}
	name := args.Type
	switch {
	case name == "" && args.Kind == "":
		a.Errors = []*problem{badRequest("no type is named: pass apiVersion and kind, or type")}
		return finish(a)
	case name == "":
		name = args.APIVersion + "/" + args.Kind
	}
	found, root, err := t.SchemaOf(name)
	if err != nil {
		a.Errors = (&inputs{}).errorProblems(err)
		return finish(a)
	}
	var text strings.Builder
	err = writeYAML(&text, found)
	if err == nil {
		a.Schema, err = encode.ThroughYAML(found)
	}
	if err != nil {
		a.Errors = (&inputs{}).errorProblems(err)
		return finish(a)
	}
	a.Type, a.YAML = root, text.String()
	return finish(a)
}
