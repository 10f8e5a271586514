// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// A server rejects an update that adds an empty map to an immutable ConfigMap or Secret,
// even if nothing else changes. It accepts the empty map if the live object also has it,
// or if the object is not immutable.
func TestEmptyDataOfImmutable(t *testing.T) {
	s := goServer(t)
	for _, c := range []struct {
		kind, live, sent, refused string
	}{
		{"Secret", `"immutable": true`, `"immutable": true, "data": {}`, "data"},
		{"Secret", `"immutable": true`, `"immutable": true, "data": null`, ""},
		{"Secret", `"immutable": true`, `"immutable": true`, ""},
		{"Secret", `"immutable": false`, `"immutable": false, "data": {}`, ""},
		{"ConfigMap", `"immutable": true, "data": {"a": "b"}`, `"immutable": true, "data": {"a": "b"}, "binaryData": {}`, "binaryData"},
		{"ConfigMap", `"immutable": true, "data": {"a": "b"}`, `"immutable": true, "data": {"a": "b"}`, ""},
		{"ConfigMap", ``, `"data": {}`, ""},
	} {
		text := func(fields string) string {
			if fields != "" {
				fields = ", " + fields
			}
			return `{"apiVersion": "v1", "kind": "` + c.kind + `", "metadata": {"name": "x", "namespace": "default"}` + fields + `}`
		}
		for _, verb := range []predict.Verb{predict.Apply, predict.Update} {
			live := predictRequest(t, s, verb, "", text(c.live), nil).Object
			_, err := s.Predict(&predict.Request{Verb: verb, Manager: "a", Object: object(t, text(c.sent)), Live: live})
			want := ""
			if c.refused != "" {
				want = fmt.Sprintf("%s \"x\" is invalid: %s: Forbidden: field is immutable when `immutable` is set", c.kind, c.refused)
			}
			var refused *fieldmanager.RequestError
			switch {
			case want == "" && err != nil:
				t.Errorf("%s, verb %d: %v", text(c.sent), verb, err)
			case want != "" && (!errors.As(err, &refused) || refused.Status != http.StatusUnprocessableEntity || err.Error() != want):
				t.Errorf("%s, verb %d: %v, want %s", text(c.sent), verb, err, want)
			}
		}
	}
}
