// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

const deployment = `types:
- name: deployment
  map:
    fields:
    - {name: replicas, type: {scalar: numeric}}
    - {name: image, type: {scalar: string}}
`

// oneVersion is the Converter of objects that have one version.
type oneVersion struct{}

func (oneVersion) Convert(o *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return o, nil
}
func (oneVersion) IsMissingVersionError(error) bool { return false }

// All objects use this parser, because objects can be merged only if their types belong to
// the same schema.
var parser, errSchema = typed.NewParser(deployment)

func object(yaml typed.YAMLObject) *typed.TypedValue {
	if errSchema != nil {
		panic(errSchema)
	}
	tv, err := parser.Type("deployment").FromYAML(yaml)
	if err != nil {
		panic(err)
	}
	return tv
}

// Two managers apply a deployment. The second manager cannot change fields of the first
// manager without force.
func ExampleUpdater_Apply() {
	u := (&merge.UpdaterBuilder{Converter: oneVersion{}}).BuildUpdater()

	live, managers, err := u.Apply(object(`{}`), object(`{replicas: 3, image: shop:1}`), "v1", fieldpath.ManagedFields{}, "git", false)
	if err != nil {
		panic(err)
	}
	_, _, err = u.Apply(live, object(`{replicas: 5}`), "v1", managers, "autoscaler", false)
	fmt.Println(err)

	live, managers, err = u.Apply(live, object(`{replicas: 5}`), "v1", managers, "autoscaler", true)
	if err != nil {
		panic(err)
	}
	fmt.Println("replicas:", value.ToString(mustGet(live, "replicas")))
	fmt.Print("git owns:\n", managers["git"].Set())

	// Output:
	// conflict with "git": .replicas
	// replicas: 5
	// git owns:
	// .image
}

// A manager that updates an object owns the fields that it changed. All other managers lose
// these fields.
func ExampleUpdater_Update() {
	u := (&merge.UpdaterBuilder{Converter: oneVersion{}}).BuildUpdater()
	live, managers, err := u.Update(object(`{}`), object(`{replicas: 3, image: shop:1}`), "v1", nil, "kubectl")
	if err != nil {
		panic(err)
	}
	_, managers, err = u.Update(live, object(`{replicas: 5, image: shop:1}`), "v1", managers, "autoscaler")
	fmt.Print(managers)
	fmt.Println(err)

	// Output:
	// autoscaler:
	// - Applied: false
	// - APIVersion: v1
	// - Set: .replicas
	// kubectl:
	// - Applied: false
	// - APIVersion: v1
	// - Set: .image
	// <nil>
}

// If a manager omits a field of its last config, it gives the field up. The field is
// removed, unless another manager owns it.
func ExampleUpdater_Apply_less() {
	u := (&merge.UpdaterBuilder{Converter: oneVersion{}}).BuildUpdater()
	live, managers, err := u.Apply(object(`{}`), object(`{replicas: 3, image: shop:1}`), "v1", nil, "git", false)
	if err != nil {
		panic(err)
	}
	live, managers, err = u.Apply(live, object(`{image: shop:1}`), "v1", managers, "git", false)
	fmt.Println(value.ToString(live.AsValue()), err)
	fmt.Print(managers)

	// Output:
	// image="shop:1" <nil>
	// git:
	// - Applied: true
	// - APIVersion: v1
	// - Set: .image
}

func mustGet(tv *typed.TypedValue, name string) value.Value {
	v, ok := tv.AsValue().AsMap().Get(name)
	if !ok {
		panic(name)
	}
	return v
}
