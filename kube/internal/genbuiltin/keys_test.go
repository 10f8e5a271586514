// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// Keys that are neither required nor defaulted, by name; and the required keys
// with a zero default, which testdata/zero_keys.txt lists.
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
		{"v2", ofSwagger(t, openapi.New(openapi.Options{})), inV2, nil},
		{"v3", openapi.Builtin(openapi.Options{}), inBoth, zero},
		{"v2 with the embedded defaults", ofSwagger(t, openapi.Builtin(openapi.Options{})), inBoth, zero},
	} {
		report := test.catalog.UnsatisfiedKeys()
		compareKeys(t, test.name, report.Undefaulted, test.want)
		compareKeys(t, test.name+", zero defaults", report.ZeroDefaults, test.zero)
	}
}

func compareKeys(t *testing.T, name string, found []openapi.KeyFinding, want []string) {
	t.Helper()
	var got []string
	for _, k := range found {
		line := strings.TrimPrefix(k.Type, "io.k8s.") + k.Path + " " + k.Key
		if k.Default != nil {
			line += " " + string(must(json.Marshal(k.Default))(t))
		}
		got = append(got, line)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
