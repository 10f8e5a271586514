// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package guide_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
)

// typesOf returns the built-in types and the types of CRDs.
func typesOf(crds ...[]byte) (fieldmanager.TypeSource, error) {
	catalog := openapi.Builtin(openapi.Options{})
	for i, crd := range crds {
		if err := catalog.AddCRD(fmt.Sprintf("CRD %d", i), crd); err != nil {
			return nil, err
		}
	}
	return fieldmanager.NewTypeSource(catalog.Type), nil
}

// Predict reports what applying a manifest would change in the live object.
func Predict(types fieldmanager.TypeSource, live, desired map[string]any, manager string) (*typed.Comparison, error) {
	fm, err := fieldmanager.New(fieldmanager.Options{Types: types})
	if err != nil {
		return nil, err
	}
	result, err := fm.Apply(live, desired, manager, true)
	if err != nil || !result.Changed {
		return &typed.Comparison{}, err
	}
	t, err := types(live["apiVersion"].(string), live["kind"].(string))
	if err != nil {
		return nil, err
	}
	before, err := t.FromUnstructured(live, typed.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	after, err := t.FromUnstructured(result.Object, typed.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	diff, err := before.Compare(after)
	if err != nil {
		return nil, err
	}
	managed := fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "managedFields"))
	return diff.ExcludeFields(managed), nil
}

func Example_diff() {
	live := read("../../../examples/service/live.yaml")
	desired := read("../../../examples/service/service.yaml")
	types, err := typesOf()
	if err != nil {
		log.Fatal(err)
	}
	diff, err := Predict(types, live, desired, "argocd-controller")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("in sync:", diff.IsSame())
	fmt.Println("added:", diff.Added)
	// Output:
	// in sync: false
	// added: .metadata.labels.app.kubernetes.io/part-of
	// .spec.ports[port=9000,protocol="TCP"]
	// .spec.ports[port=9000,protocol="TCP"].name
	// .spec.ports[port=9000,protocol="TCP"].port
	// .spec.ports[port=9000,protocol="TCP"].targetPort
}

// Server stands in for an API server in the tests of controllers.
type Server struct {
	fm      *fieldmanager.FieldManager
	objects map[string]map[string]any
}

// NewServer returns a server with the built-in types and the types of CRDs.
func NewServer(crds ...[]byte) (*Server, error) {
	types, err := typesOf(crds...)
	if err != nil {
		return nil, err
	}
	fm, err := fieldmanager.New(fieldmanager.Options{
		Types: types,
		// NoneConverter converts CRDs with the conversion strategy None.
		Converter: fieldmanager.NoneConverter,
		Clock:     func() time.Time { return time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC) },
	})
	return &Server{fm, map[string]map[string]any{}}, err
}

// Apply performs a server-side apply and stores the result.
func (s *Server) Apply(config map[string]any, manager string, force bool) (map[string]any, error) {
	metadata := config["metadata"].(map[string]any)
	key := fmt.Sprint(config["kind"], metadata["namespace"], metadata["name"])
	result, err := s.fm.Apply(s.objects[key], config, manager, force)
	if err != nil {
		return nil, err
	}
	s.objects[key] = result.Object
	return result.Object, nil
}

// Two independent controllers share the ports of a database.
func Example_controllers() {
	crd, err := os.ReadFile("../../../examples/database/crd.yaml")
	if err != nil {
		log.Fatal(err)
	}
	server, err := NewServer(crd)
	if err != nil {
		log.Fatal(err)
	}
	apply := func(manager, spec string) {
		stored, err := server.Apply(database(spec), manager, false)
		var conflict *fieldmanager.ConflictError
		if errors.As(err, &conflict) {
			c := conflict.Conflicts[0]
			fmt.Printf("%s: %v is %v, set by %s\n", manager, c.Path, c.Live, c.Manager)
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %v\n", manager, stored["spec"].(map[string]any)["listeners"])
	}
	apply("operator", `{engine: postgres, listeners: [{port: 5432, name: sql}]}`)
	// The default protocol is TCP, so this is the same listener.
	apply("mesh", `{engine: postgres, listeners: [{port: 5432, protocol: TCP, tls: true}]}`)
	apply("mesh", `{engine: postgres, listeners: [{port: 5432, name: tls}]}`)
	// A field that mesh no longer applies is removed, unless another manager owns it.
	apply("mesh", `{engine: postgres}`)
	// Output:
	// operator: [map[name:sql port:5432]]
	// mesh: [map[name:sql port:5432 protocol:TCP tls:true]]
	// mesh: .spec.listeners[port=5432,protocol="TCP"].name is sql, set by operator
	// mesh: [map[name:sql port:5432]]
}

// ApplyYielding applies a config and yields at each conflict with a value of another manager. It
// returns the config that it applied, and the object to store.
func ApplyYielding(types fieldmanager.TypeSource, live, config map[string]any, manager string) (applied, stored map[string]any, err error) {
	fm, err := fieldmanager.New(fieldmanager.Options{Types: types})
	if err != nil {
		return nil, nil, err
	}
	outcome, err := resolve.New(fm, live, config, manager).Apply(resolve.Choices{
		Choose: func(c *fieldmanager.Conflict) resolve.Choice {
			if c.Live == nil {
				return resolve.Force // the live object lacks the field
			}
			return resolve.Yield
		},
	})
	if err != nil {
		return nil, nil, err
	}
	for _, r := range outcome.Resolutions {
		fmt.Printf("%s: %v of %s, which is %v\n", r.Choice, r.Conflict.Path, r.Conflict.Manager, r.Conflict.Live)
	}
	return outcome.Config, outcome.Result.Object, nil
}

// An operator yields fields that another manager applied.
func Example_conflicts() {
	crd, err := os.ReadFile("../../../examples/database/crd.yaml")
	if err != nil {
		log.Fatal(err)
	}
	types, err := typesOf(crd)
	if err != nil {
		log.Fatal(err)
	}
	fm, err := fieldmanager.New(fieldmanager.Options{Types: types})
	if err != nil {
		log.Fatal(err)
	}
	created, err := fm.Apply(nil, database(`{engine: postgres, listeners: [{port: 5432, name: tls}]}`), "mesh", false)
	if err != nil {
		log.Fatal(err)
	}
	applied, stored, err := ApplyYielding(types, created.Object, database(`{engine: postgres, listeners: [{port: 5432, name: sql, tls: true}]}`), "operator")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("applied", applied["spec"])
	fmt.Println("stored ", stored["spec"])
	// Output:
	// yield: .spec.listeners[port=5432,protocol="TCP"].name of mesh, which is tls
	// applied map[engine:postgres listeners:[map[port:5432 tls:true]]]
	// stored  map[engine:postgres listeners:[map[name:tls port:5432 tls:true]]]
}

// A program reports the errors of a manifest in its own words.
func Example_problems() {
	types, err := typesOf()
	if err != nil {
		log.Fatal(err)
	}
	deployment, err := types("apps/v1", "Deployment")
	if err != nil {
		log.Fatal(err)
	}
	_, err = deployment.FromYAML(`{apiVersion: apps/v1, kind: Deployment, replicas: "3", spec: {paused: "yes"}}`)
	for _, p := range typed.Problems(err) {
		switch {
		case p.Rule == typed.UndeclaredField && len(p.Hints) > 0 && p.Hints[0].Code == typed.DidYouMean:
			fmt.Printf("there is no %s; there is %s\n", p.Path, p.Hints[0].Text)
		case p.Rule == typed.WrongType:
			fmt.Printf("%s has to be a %s, and is %q\n", p.Path, p.Expected, p.Found)
		default:
			fmt.Println(p)
		}
	}
	// Output:
	// there is no .replicas; there is .spec.replicas
	// .spec.paused has to be a boolean, and is "yes"
}

// UpdateStatus handles a PUT to the status subresource in an API server.
func UpdateStatus(types fieldmanager.TypeSource, live, object map[string]any, manager string) (map[string]any, error) {
	fm, err := fieldmanager.New(fieldmanager.Options{
		Types:       types,
		Subresource: "status",
		// These are the fields that this endpoint does not store.
		ResetFields: map[fieldpath.APIVersion]*fieldpath.Set{
			"db.example.com/v1": fieldpath.NewSet(
				fieldpath.MakePathOrDie("metadata"),
				fieldpath.MakePathOrDie("spec"),
			),
		},
	})
	if err != nil {
		return nil, err
	}
	result, err := fm.Update(live, object, manager)
	var refused *fieldmanager.RequestError
	if errors.As(err, &refused) {
		return nil, fmt.Errorf("%d: %w", refused.Status, err)
	}
	if err != nil {
		return nil, err
	}
	return result.Object, nil
}

func Example_status() {
	crd, err := os.ReadFile("../../../examples/database/crd.yaml")
	if err != nil {
		log.Fatal(err)
	}
	types, err := typesOf(crd)
	if err != nil {
		log.Fatal(err)
	}
	live := database(`{engine: postgres}`)
	object := database(`{engine: mysql}`)
	object["status"] = map[string]any{"ready": true}
	stored, err := UpdateStatus(types, live, object, "operator")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stored["spec"], stored["status"])
	// Output:
	// map[engine:postgres] map[ready:true]
}

// ReadConfig reads a config from a YAML file with one document, and validates it. The errors
// contain the line and column of each mistake.
func ReadConfig(gateway typed.ParseableType, name string, data []byte) (map[string]any, error) {
	documents, err := manifest.ReadMappings(name, data)
	if err != nil {
		return nil, err
	}
	if len(documents) != 1 {
		return nil, fmt.Errorf("%s: want one document, found %d", name, len(documents))
	}
	config := documents[0]
	_, err = gateway.FromUnstructured(config.Content)
	mistakes := manifest.Errors(config.Warnings()) // such as a key y, which YAML reads as true
	for _, p := range typed.Problems(err) {
		if text, plain, ok := config.Scalar(p.Path); ok && plain {
			for i := range p.Hints {
				if p.Hints[i].Code == typed.AddQuotes {
					p.Hints[i].Text = strconv.Quote(text) // "0123", not "83"
				}
			}
		}
		at := config.Position(p.ItemPath())
		mistakes = append(mistakes, &manifest.Error{File: at.File, Line: at.Line, Column: at.Column, Message: p.Error()})
	}
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	return config.Content, err
}

func Example_yaml() {
	gateway := gatewayType()
	for _, text := range []string{
		"region: eu\nlisteners:\n- {port: 80}\n- {protocol: UDP}\nreplicas: \"2\"\n",
		"region: eu\nlistener:\n- {port: 80}\n",
		"region: eu\nregion: us\n",
		"region: eu\n---\n- {port: 80}\n",
		"# nothing\n",
		"region: 0123\n",
		"region: no\n",
		"labels: {y: a}\n",
		"region: eu\nreplicas: 2\n",
	} {
		config, err := ReadConfig(gateway, "team.yaml", []byte(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(config)
	}
	// Output:
	// team.yaml:4:3: .listeners: item 1 {protocol: UDP} cannot be identified in its list, because it lacks the key port
	// team.yaml:5:1: .replicas: want a number, got the string "2"; did you mean 2?
	// team.yaml:2:1: .listener: field not declared in schema; did you mean listeners?
	// team.yaml:2:1: .region: duplicate key, first used on line 1
	// team.yaml:3: want a mapping, got a list
	// team.yaml: want one document, found 0
	// team.yaml:1:1: .region: want a string, got the number 83; quote it: "0123"
	// team.yaml:1:1: .region: want a string, got the boolean false; y, yes and on without quotes are booleans in YAML 1.1, which Kubernetes reads; quote it: "no"
	// team.yaml:1:10: .labels.true: this key becomes true: in YAML 1.1, which Kubernetes reads, the unquoted word "y" is a boolean; write it in quotes: "y"
	// map[region:eu replicas:2]
}

// gatewayType returns a part of the type in examples/gateway.
func gatewayType() typed.ParseableType {
	parser, err := typed.NewParser(`
missingKeys: strict
types:
- name: Gateway
  map:
    fields:
    - {name: region, type: {scalar: string}}
    - {name: replicas, type: {scalar: numeric}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: listeners, type: {list: {elementRelationship: associative, keys: [port, protocol], elementType: {namedType: Listener}}}}
- name: Listener
  map: {fields: [{name: port, type: {scalar: numeric}}, {name: protocol, type: {scalar: string}, default: TCP}]}
`)
	if err != nil {
		log.Fatal(err)
	}
	return parser.Type("Gateway")
}

// read returns the object in a file.
func read(name string) map[string]any {
	data, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	objects, err := manifest.Read(name, data)
	if err != nil {
		log.Fatal(err)
	}
	return objects[0].Content
}

func database(spec string) map[string]any {
	objects, err := manifest.Read("database", []byte("apiVersion: db.example.com/v1\nkind: Database\nmetadata: {name: orders}\nspec: "+spec+"\n"))
	if err != nil {
		log.Fatal(err)
	}
	return objects[0].Content
}

// TestGuide checks that the programs and outputs in the document are the programs and outputs
// of this file and of examples/gateway.
func TestGuide(t *testing.T) {
	const gateway = "../../../examples/gateway/"
	source := lines(t, "example_test.go") + lines(t, gateway+"main.go") + lines(t, gateway+"main_test.go")
	document, err := os.ReadFile("../../../docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(document), "```go\n")[1:]
	if len(blocks) < 5 {
		t.Errorf("%d programs", len(blocks))
	}
	for _, b := range blocks {
		program, _, _ := strings.Cut(b, "```\n")
		if !strings.Contains(source, unindented(program)) {
			t.Errorf("is not in a test of this folder:\n%s", program)
		}
	}
	outputs := 0
	for _, b := range strings.Split(string(document), "```text\n")[1:] {
		output, _, _ := strings.Cut(b, "\n```\n")
		outputs++
		if !strings.Contains(source, "// Output:\n// "+strings.ReplaceAll(output, "\n", "\n// ")+"\n}\n") {
			t.Errorf("is no output of a test of this folder:\n%s", output)
		}
	}
	if outputs != 8 {
		t.Errorf("%d outputs", outputs)
	}
	// README.md has the first lines of the output of examples/gateway.
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, excerpt, _ := strings.Cut(string(readme), "`go run ./examples/gateway`")
	_, excerpt, _ = strings.Cut(excerpt, "```text\n")
	excerpt, _, _ = strings.Cut(excerpt, "\n```\n")
	if excerpt == "" || !strings.Contains(source, "// Output:\n// "+strings.ReplaceAll(excerpt, "\n", "\n// ")+"\n") {
		t.Errorf("README.md: is no output of examples/gateway:\n%s", excerpt)
	}
}

func lines(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return unindented(string(data))
}

func unindented(text string) string {
	all := strings.Split(text, "\n")
	for i, l := range all {
		all[i] = strings.TrimLeft(l, "\t ")
	}
	return strings.Join(all, "\n")
}
