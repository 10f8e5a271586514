// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/policy"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

func objects(text string) (all []map[string]any) {
	read, err := manifest.Read("test.yaml", []byte(text))
	if err != nil {
		panic(err)
	}
	for _, o := range read {
		all = append(all, o.Content)
	}
	return all
}

func options() policy.Options {
	c := openapi.Builtin(openapi.Options{})
	return policy.Options{Kinds: c.Kinds(), Types: fieldmanager.NewTypeSource(c.Type)}
}

// request returns an admission request for an object. The request sets no
// defaults in the object.
func request(text string) *predict.Admission {
	return &predict.Admission{
		Request: &predict.Request{Manager: "web"}, Object: objects(text)[0],
		Default: func(o map[string]any) (map[string]any, error) { return o, nil },
	}
}

const matchAll = `
  matchConstraints:
    resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE], resources: [configmaps]}]
`

// validating returns a validating policy with its binding, as YAML.
func validating(name, spec string) string {
	return fmt.Sprintf("apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: %[1]s}\nspec:%[2]s\n---\n"+
		"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: %[1]s}\nspec: {policyName: %[1]s, validationActions: [Deny]}\n---\n", name, matchAll+spec)
}

func mutating(name, reinvocation, expression string) string {
	return fmt.Sprintf("apiVersion: admissionregistration.k8s.io/v1beta1\nkind: MutatingAdmissionPolicy\nmetadata: {name: %[1]s}\nspec:%[2]s  reinvocationPolicy: %[3]s\n  mutations:\n"+
		"  - patchType: JSONPatch\n    jsonPatch:\n      expression: >\n        %[4]s\n---\n"+
		"apiVersion: admissionregistration.k8s.io/v1beta1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {name: %[1]s}\nspec: {policyName: %[1]s}\n---\n", name, matchAll, reinvocation, expression)
}

const web = `{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: shop}, data: {a: "1"}}`

func Example() {
	set, err := policy.New(objects(validating("small", `
  validations: [{expression: object.data.size() < 1, messageExpression: '"found " + string(object.data.size())'}]
`)), options())
	if err != nil {
		panic(err)
	}
	_, err = set.Validate(request(web))
	fmt.Println(err)
	// Output: configmaps "web" is forbidden: ValidatingAdmissionPolicy 'small' with binding 'small' denied request: found 1
}

// A policy with reinvocationPolicy IfNeeded must run again after a later policy has
// changed the object.
func TestReinvocation(t *testing.T) {
	count := `[JSONPatch{op: "add", path: "/data/count", value: string(object.data.size())}]`
	add := `"b" in object.data ? [] : [JSONPatch{op: "add", path: "/data/b", value: "2"}]`
	for _, test := range []struct{ again, want string }{{"Never", "1"}, {"IfNeeded", "3"}} {
		set, err := policy.New(objects(mutating("a-count", test.again, count)+mutating("b-add", "Never", add)), options())
		if err != nil {
			t.Fatal(err)
		}
		a := request(web)
		answer, err := set.Mutate(a)
		if err != nil {
			t.Fatal(err)
		}
		data := answer.Object["data"].(map[string]any)
		if data["count"] != test.want || data["b"] != "2" {
			t.Errorf("%s: found %v, want count %s", test.again, data, test.want)
		}
		if _, there := a.Object["data"].(map[string]any)["b"]; there {
			t.Error("the argument was modified")
		}
	}
}

// New must report each error in a policy with its path.
func TestErrors(t *testing.T) {
	_, err := policy.New(objects(validating("bad", `
  paramKind: {apiVersion: example.com/v1, kind: Limit}
  failurePolicy: Maybe
  unknown: 1
  validations: [{expression: object.size(}]
`)+validating("compiles", `
  variables: [{name: "1", expression: object}]
  validations: [{expression: variables.x, reason: Teapot}, {expression: 'size("a")'}]
`)), options())
	for _, want := range []string{
		`ValidatingAdmissionPolicy "bad": unknown field "spec.unknown"`,
		`ValidatingAdmissionPolicyBinding "bad": .spec.policyName: there is no ValidatingAdmissionPolicy "bad"`,
		`ValidatingAdmissionPolicy "compiles": .spec.variables[0].name: want a CEL identifier, found "1"`,
		`ValidatingAdmissionPolicy "compiles": .spec.validations[0].reason: want Forbidden, Invalid or RequestEntityTooLarge, found "Teapot"`,
		`ValidatingAdmissionPolicy "compiles": .spec.validations[0].expression: compilation failed: ERROR`,
		`ValidatingAdmissionPolicy "compiles": .spec.validations[1].expression: must evaluate to bool`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, found\n%v", want, err)
		}
	}
	_, err = policy.New(objects(strings.Replace(validating("params", `
  paramKind: {apiVersion: v1, kind: ConfigMap}
  validations: [{expression: 'params != null'}]
`), "validationActions", "paramRef: {name: limits, namespace: shop, parameterNotFoundAction: Allow}, validationActions", 1)), options())
	if want := `ValidatingAdmissionPolicyBinding "params": .spec.paramRef: ConfigMap shop/limits is not given`; err == nil || err.Error() != want {
		t.Errorf("want %s, found %v", want, err)
	}
}

// A policy that only a server can evaluate must be reported as unknown.
func TestUnknownPolicy(t *testing.T) {
	set, err := policy.New(objects(validating("asks", `
  validations: [{expression: "authorizer.path('/x').check('get').allowed()"}]
`)), options())
	if err != nil {
		t.Fatal(err)
	}
	answer, err := set.Validate(request(web))
	if err != nil || len(answer.Unknown) != 1 || !strings.Contains(answer.Unknown[0], `"asks"`) {
		t.Errorf("found %v, %v", answer, err)
	}
	if set, err = policy.New(objects(validating("who", `
  validations: [{expression: request.userInfo.username == 'ann'}]
`)), options()); err != nil {
		t.Fatal(err)
	}
	var who *policy.UserError
	if _, err = set.Validate(request(web)); !errors.As(err, &who) {
		t.Errorf("found %v, want a UserError", err)
	}
	if set, err = policy.New(objects(validating("labels", `
  validations: [{expression: has(namespaceObject.metadata.labels)}]
`)), options()); err != nil {
		t.Fatal(err)
	}
	var missing *policy.MissingError
	if _, err = set.Validate(request(web)); !errors.As(err, &missing) {
		t.Errorf("found %v, want a MissingError", err)
	}
}
