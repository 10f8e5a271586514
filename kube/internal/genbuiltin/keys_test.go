// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// The test lists the list keys of built-in types that are neither required nor have a
// default. The file testdata/zero_keys.txt lists the required keys with a zero default.
func TestUnsatisfiedKeys(t *testing.T) {
	inBoth := []string{
		"api.core.v1.ServiceAccount.secrets name",
		"api.resource.v1.ResourceClaimStatus.devices shareID",
		"api.resource.v1beta1.ResourceClaimStatus.devices shareID",
		"api.resource.v1beta2.ResourceClaimStatus.devices shareID",
	}
	inV2 := append([]string{
		"api.apps.v1.DaemonSetStatus.conditions type",
		"api.apps.v1.DeploymentStatus.conditions type",
		"api.apps.v1.ReplicaSetStatus.conditions type",
		"api.apps.v1.StatefulSetStatus.conditions type",
		"api.core.v1.Container.ports protocol",
		"api.core.v1.EphemeralContainer.ports protocol",
		"api.core.v1.PodSpec.imagePullSecrets name",
		"api.core.v1.ServiceSpec.ports protocol",
	}, inBoth...)
	slices.Sort(inV2)
	zero := strings.Split(strings.TrimSpace(string(must(os.ReadFile("testdata/zero_keys.txt"))(t))), "\n")
	if len(zero) != 108 {
		t.Errorf("the list has %d keys, want 108", len(zero))
	}
	for _, test := range []struct {
		name       string
		catalog    *openapi.Catalog
		want, zero []string
	}{
		{"v2", addSwagger(t, openapi.New(openapi.Options{})), inV2, nil},
		{"v3", openapi.Builtin(openapi.Options{}), inBoth, zero},
		{"v2 with the embedded defaults", addSwagger(t, openapi.Builtin(openapi.Options{})), inBoth, zero},
	} {
		found := test.catalog.Lint()
		compareKeys(t, test.name, found, openapi.KeyUnsatisfied, test.want)
		compareKeys(t, test.name+", zero defaults", found, openapi.ZeroKey, test.zero)
	}
}

var keyMessage = regexp.MustCompile(`^(?:the key )?"(.*?)" (?:in x-kubernetes-list-map-keys is optional and has no default,|is required but has the default (.*?),)`)

// compareKeys compares the list keys in the findings of a rule with the expected list
// keys. Each item of want consists of a type, a path and a key.
func compareKeys(t *testing.T, name string, found []openapi.Finding, rule openapi.Rule, want []string) {
	t.Helper()
	var got []string
	for _, f := range found {
		if f.Rule != rule {
			continue
		}
		parts := keyMessage.FindStringSubmatch(f.Message)
		if parts == nil {
			t.Fatalf("%s: the message does not name a key: %s", name, f)
		}
		got = append(got, strings.TrimRight(strings.TrimPrefix(f.Type, "io.k8s.")+f.Path+" "+parts[1]+" "+parts[2], " "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
