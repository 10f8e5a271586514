// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// goldenDir holds requests to a real API server with its answers.
const goldenDir = "../testdata/requests"

// scenario is one recorded file.
type scenario struct {
	Name  string `json:"scenario"`
	Steps []step `json:"steps"`
}

type step struct {
	Note    string `json:"note"`
	Request struct {
		Method      string            `json:"method"`
		Path        string            `json:"path"`
		Query       map[string]string `json:"query"`
		ContentType string            `json:"contentType"`
		Body        any               `json:"body"`
	} `json:"request"`
	Response struct {
		Status int            `json:"status"`
		Body   map[string]any `json:"body"`
	} `json:"response"`
	SMD []call `json:"smd"`
}

// call is one call of merge.Updater inside the server.
type call struct {
	Op           string                    `json:"op"`
	Version      fieldpath.APIVersion      `json:"version"`
	Manager      string                    `json:"manager"`
	Force        bool                      `json:"force"`
	Schema       string                    `json:"schema"`
	TypeName     string                    `json:"typeName"`
	Live         map[string]any            `json:"live"`
	New          map[string]any            `json:"new"`
	Managers     map[string]recordedSet    `json:"managers"`
	IgnoreFilter map[string]recordedFilter `json:"ignoreFilter"`
	Converts     []struct {
		From     map[string]any       `json:"from"`
		Version  fieldpath.APIVersion `json:"version"`
		ToType   string               `json:"toType"`
		ToSchema string               `json:"toSchema"`
		To       map[string]any       `json:"to"`
	} `json:"converts"`
	OutObject    map[string]any         `json:"outObject"`
	OutObjectNil bool                   `json:"outObjectNil"`
	OutManagers  map[string]recordedSet `json:"outManagers"`
	Error        string                 `json:"error"`
	Conflicts    []string               `json:"conflicts"`
}

type recordedSet struct {
	APIVersion fieldpath.APIVersion `json:"apiVersion"`
	Applied    bool                 `json:"applied"`
	FieldsV1   any                  `json:"fieldsV1"`
}

func (s recordedSet) set(t *testing.T) *fieldpath.Set { return setOf(t, s.FieldsV1) }

type recordedFilter struct {
	Exclude any `json:"exclude"`
	Include any `json:"include"`
}

// setOf reads a decoded FieldsV1 through its text, not through this package.
func setOf(t *testing.T, fields any) *fieldpath.Set {
	t.Helper()
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	set := fieldpath.NewSet()
	if err := set.FromJSON(strings.NewReader(string(text))); err != nil {
		t.Fatal(err)
	}
	return set
}

// resetFields are the sets that an endpoint ignores.
func (c call) resetFields(t *testing.T) map[fieldpath.APIVersion]*fieldpath.Set {
	t.Helper()
	if c.IgnoreFilter == nil {
		return nil
	}
	sets := map[fieldpath.APIVersion]*fieldpath.Set{}
	for version, f := range c.IgnoreFilter {
		if f.Exclude == nil {
			t.Fatalf("a filter that is no excluded set: %v", f)
		}
		sets[fieldpath.APIVersion(version)] = setOf(t, f.Exclude)
	}
	return sets
}

func loadScenarios(t *testing.T) []scenario {
	t.Helper()
	files, err := filepath.Glob(goldenDir + "/*.json*")
	if err != nil {
		t.Fatal(err)
	}
	var list []scenario
	for _, file := range files {
		var s scenario
		decodeFile(t, file, &s)
		if len(s.Steps) > 0 {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		t.Fatalf("no recorded scenarios in %s", goldenDir)
	}
	return list
}

// decodeFile reads JSON; whole numbers become int64.
func decodeFile(t *testing.T, file string, to any) {
	t.Helper()
	text, err := fixture.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(to); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if s, ok := to.(*scenario); ok {
		for i := range s.Steps {
			st := &s.Steps[i]
			st.Request.Body = plain(t, st.Request.Body)
			st.Response.Body, _ = plain(t, st.Response.Body).(map[string]any)
			for j := range st.SMD {
				c := &st.SMD[j]
				for _, m := range []*map[string]any{&c.Live, &c.New, &c.OutObject} {
					*m, _ = plain(t, *m).(map[string]any)
				}
				for k := range c.Converts {
					c.Converts[k].From, _ = plain(t, c.Converts[k].From).(map[string]any)
					c.Converts[k].To, _ = plain(t, c.Converts[k].To).(map[string]any)
				}
			}
		}
	}
}

// plain copies decoded JSON or YAML into the form objects have.
func plain(t *testing.T, v any) any {
	t.Helper()
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, err := v.Float64()
		if err != nil {
			t.Fatal(err)
		}
		return f
	case int:
		return int64(v)
	case map[string]any:
		if v == nil {
			return v
		}
		m := make(map[string]any, len(v))
		for k, item := range v {
			m[k] = plain(t, item)
		}
		return m
	case map[any]any:
		m := make(map[string]any, len(v))
		for k, item := range v {
			name, ok := k.(string)
			if !ok {
				t.Fatalf("key %v is no string", k)
			}
			m[name] = plain(t, item)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, item := range v {
			l[i] = plain(t, item)
		}
		return l
	}
	return v
}

func parseYAML(t *testing.T, text string) map[string]any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	m, ok := plain(t, v).(map[string]any)
	if !ok {
		t.Fatalf("not an object:\n%s", text)
	}
	return m
}

// schemas hands out the recorded schemas, each parsed once.
type schemas struct {
	gate   bool
	parsed map[string]*typed.Parser
}

func (s *schemas) typeOf(t *testing.T, file, name string) typed.ParseableType {
	t.Helper()
	p, ok := s.parsed[file]
	if !ok {
		text, err := fixture.ReadFile(filepath.Join(goldenDir, "schemas", file+".gz"))
		if err != nil {
			t.Fatal(err)
		}
		p, err = typed.NewParser(typed.YAMLObject(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		setGate(&p.Schema, s.gate)
		s.parsed[file] = p
	}
	return p.Type(name)
}

func newSchemas(gate bool) *schemas {
	return &schemas{gate: gate, parsed: map[string]*typed.Parser{}}
}

func setGate(s *schema.Schema, on bool) {
	s.DeclarativeDefaults = on
}
