// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"math/rand"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// filler returns a filler that sets fields of Go structs at random. It omits half of the
// optional fields.
func filler(r *rand.Rand) *randfill.Filler {
	return randfill.New().RandSource(r).NilChance(.5).NumElements(1, 2).MaxDepth(14).Funcs(
		func(s *string, c randfill.Continue) {
			if *s = ""; c.Bool() {
				*s = fmt.Sprint("s", c.Intn(100))
			}
		},
		func(i *int32, c randfill.Continue) { *i = int32(c.Intn(3)) },
		func(i *int64, c randfill.Continue) { *i = int64(c.Intn(3)) },
		func(t *metav1.Time, c randfill.Continue) {
			if c.Bool() {
				*t = metav1.Unix(int64(c.Intn(2_000_000_000)), 0)
			}
		},
		func(t *metav1.MicroTime, c randfill.Continue) {
			if c.Bool() {
				*t = metav1.NewMicroTime(time.UnixMicro(int64(c.Intn(2_000_000_000))))
			}
		},
		func(d *metav1.Duration, c randfill.Continue) { d.Duration = time.Duration(c.Intn(100)) * time.Second },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse([]string{"0", "1", "500m", "2Gi"}[c.Intn(4)])
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			*v = []intstr.IntOrString{intstr.FromInt32(0), intstr.FromInt32(80), intstr.FromString("http")}[c.Intn(3)]
		},
		func(f *metav1.FieldsV1, _ randfill.Continue) { _ = f.UnmarshalJSON([]byte(`{"f:metadata":{}}`)) },
		func(e *runtime.RawExtension, _ randfill.Continue) { e.Raw = []byte(`{"kind":"Thing","x":null}`) },
		func(j *apiextensionsv1.JSON, c randfill.Continue) {
			j.Raw = []byte([]string{`{"a":null}`, `[null]`, `"x"`, `0`}[c.Intn(4)])
		},
		func(p *apiextensionsv1.JSONSchemaProps, c randfill.Continue) {
			*p = apiextensionsv1.JSONSchemaProps{Type: "object"}
			if c.Bool() {
				p.Properties = map[string]apiextensionsv1.JSONSchemaProps{"a": {Type: "string", Nullable: c.Bool()}}
				p.Default = &apiextensionsv1.JSON{Raw: []byte(`{"a":null}`)}
			}
		},
	)
}
