// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// TestCreateWithResourceVersion creates objects that have a resourceVersion. A server rejects them
// when it stores them, so it reports other errors first.
func TestCreateWithResourceVersion(t *testing.T) {
	s := server(t, "1.37")
	for _, c := range []struct {
		version, key string
		status       int
	}{
		{"", "a", 0}, {"0", "a", 0}, {"00", "a", 0}, {"7", "a", 500}, {"7", "no key", 422},
	} {
		sent := object(t, fmt.Sprintf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "d", "resourceVersion": %q}, "data": {%q: "b"}}`, c.version, c.key))
		_, err := s.Predict(&predict.Request{Verb: predict.Create, Manager: "m", Object: sent})
		var refused *fieldmanager.RequestError
		switch {
		case c.status == 0 && err != nil, c.status != 0 && !errors.As(err, &refused), refused != nil && refused.Status != c.status:
			t.Errorf("%+v: %v", c, err)
		}
	}
}
