// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// filler fills objects at random. Most fields get their zero value, so that defaults apply to
// them.
func filler(seed int64) *randfill.Filler {
	return randfill.New().RandSource(rand.NewSource(seed)).NilChance(.5).NumElements(0, 2).MaxDepth(12).Funcs(
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
		func(t *time.Time, c randfill.Continue) { *t = time.Unix(int64(c.Intn(2_000_000_000)), 0).UTC() },
		func(v *any, c randfill.Continue) {
			*v = []any{nil, map[string]any{"a": "b"}, map[string]any{}}[c.Intn(3)] // according to OpenAPI, the value is an object
		},
		func(j *json.RawMessage, c randfill.Continue) {
			*j = []json.RawMessage{nil, json.RawMessage(`{"a":1}`), json.RawMessage(`"x"`)}[c.Intn(3)]
		},
		func(f *metav1.FieldsV1, _ randfill.Continue) { f.Raw = []byte(`{"f:metadata":{}}`) },
		func(e *runtime.RawExtension, _ randfill.Continue) { e.Raw = []byte(`{"kind":"Thing","x":1}`) },
	)
}
