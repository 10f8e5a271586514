// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v2"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/typed"
)

// types has the built-in types in two forms, one for each field manager.
type types struct {
	theirs managedfields.TypeConverter
	parser *typed.Parser
	names  map[string]string // key: apiVersion, a space and kind; value: the name of the type
}

// find returns a type for Dovetail's field manager. It is a fieldmanager.TypeSource.
func (t *types) find(apiVersion, kind string) (typed.ParseableType, error) {
	name, ok := t.names[apiVersion+" "+kind]
	if !ok {
		return typed.ParseableType{}, fmt.Errorf("%s %s: %w", apiVersion, kind, fieldmanager.ErrUnknownType)
	}
	return t.parser.Type(name), nil
}

var loadTypes = sync.OnceValues(readTypes)

func builtinTypes(t testing.TB) *types {
	t.Helper()
	loaded, err := loadTypes()
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// keyDefaults are types with list keys whose defaults are missing in OpenAPI v2. The types of
// the API server have these defaults.
var keyDefaults = []string{"io.k8s.api.core.v1.ServicePort", "io.k8s.api.core.v1.ContainerPort"}

func readTypes() (*types, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kube-openapi").Output()
	if err != nil {
		return nil, fmt.Errorf("where kube-openapi is: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "pkg", "schemaconv", "testdata", "swagger.json"))
	if err != nil {
		return nil, err
	}
	var swagger spec.Swagger
	if err := json.Unmarshal(text, &swagger); err != nil {
		return nil, err
	}
	definitions := map[string]*spec.Schema{}
	for name, definition := range swagger.Definitions {
		definitions[name] = &definition
	}
	for _, name := range keyDefaults {
		protocol := definitions[name].Properties["protocol"]
		protocol.Default = "TCP"
		definitions[name].Properties["protocol"] = protocol
	}
	t := &types{names: map[string]string{}}
	if t.theirs, err = managedfields.NewTypeConverter(definitions, false); err != nil {
		return nil, err
	}
	converted, err := schemaconv.ToSchemaFromOpenAPI(definitions, false)
	if err != nil {
		return nil, err
	}
	document, err := yaml.Marshal(converted)
	if err != nil {
		return nil, err
	}
	if t.parser, err = typed.NewParser(typed.YAMLObject(document)); err != nil {
		return nil, err
	}
	for name, definition := range definitions {
		list, _ := definition.Extensions["x-kubernetes-group-version-kind"].([]any)
		for _, item := range list {
			m, ok := item.(map[string]any)
			if !ok {
				continue
			}
			group, _ := m["group"].(string)
			version, _ := m["version"].(string)
			kind, _ := m["kind"].(string)
			t.names[schema.GroupVersion{Group: group, Version: version}.String()+" "+kind] = name
		}
	}
	return t, nil
}
