// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"errors"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// byName is the definition of a CRD, with a conversion webhook or without one.
type byName struct {
	knob
	byName bool
}

func (b byName) ConvertsByName() bool { return b.byName }

// ReadBack returns the object itself, because v2 is treated as the storage version.
func (b byName) ReadBack(o map[string]any) (map[string]any, error) { return o, nil }

// The managed fields have an entry of version v1, which does not declare the field "new"
// of the live object. Without a conversion webhook, the apply must fail. With a webhook,
// the result is not known.
func TestUndeclaredInVersionOfOwner(t *testing.T) {
	live := object(t, `{"apiVersion": "example.com/v2", "kind": "Knob", "metadata": {"name": "a", "managedFields": [
		{"apiVersion": "example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:size": {}}}, "manager": "other", "operation": "Apply"}]},
		"spec": {"size": "1", "new": "x"}}`)
	for _, without := range []bool{true, false} {
		s := knobServer(t, byName{byName: without}, openapi.Options{})
		_, err := s.Predict(&predict.Request{Verb: predict.ApplyForce, Manager: "me", Object: object(t, knobOf(`{"size": "2"}`)), Live: live})
		var undeclared *predict.UndeclaredError
		if got := errors.As(err, &undeclared); got != without {
			t.Fatalf("without a webhook %v: got error %v", without, err)
		}
		if !without {
			continue
		}
		if undeclared.APIVersion != "example.com/v1" || undeclared.From != "example.com/v2" || undeclared.Error() != ".spec.new: field not declared in schema" {
			t.Errorf("got %+v", undeclared)
		}
	}
}
