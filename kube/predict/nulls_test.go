// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// strict is a definition that rejects a null in the field size. It records the objects
// that it had to check.
type strict struct {
	knob
	checked *[]map[string]any
}

func (s strict) CheckNulls(object map[string]any) error {
	*s.checked = append(*s.checked, object)
	spec, _ := object["spec"].(map[string]any)
	if size, there := spec["size"]; there && size == nil {
		return fmt.Errorf("a null size")
	}
	return nil
}

// An apply must be rejected if its merged object has a null that the definition rejects.
// An update must be accepted, because decoding removes such nulls. Objects without nulls
// need not be checked.
func TestNulls(t *testing.T) {
	for _, c := range []struct {
		verb    predict.Verb
		spec    string
		checked int
		refused bool
	}{
		{predict.Apply, `{"size": null}`, 1, true},
		{predict.ApplyForce, `{"size": null}`, 1, true},
		{predict.Apply, `{"mode": null}`, 1, false},
		{predict.Apply, `{"size": "1"}`, 0, false},
		{predict.Create, `{"size": null}`, 0, false},
	} {
		var checked []map[string]any
		s := knobServer(t, strict{checked: &checked}, openapi.Options{})
		_, err := s.Predict(&predict.Request{Verb: c.verb, Manager: "a", Object: object(t, knobOf(c.spec))})
		var nulls *predict.NullError
		var request *fieldmanager.RequestError
		if len(checked) != c.checked || errors.As(err, &nulls) != c.refused {
			t.Errorf("verb %d, %s: %d calls of CheckNulls, error %v", c.verb, c.spec, len(checked), err)
		}
		if c.refused && (!errors.As(err, &request) || request.Status != http.StatusUnprocessableEntity || request.Message != "a null size") {
			t.Errorf("verb %d, %s: %v", c.verb, c.spec, err)
		}
	}
}
