// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// TestSameErrors reads documents with several errors. Which error is reported must not
// depend on the random order of Go maps.
func TestSameErrors(t *testing.T) {
	var fields, numbers []string
	for i := range 20 {
		fields = append(fields, fmt.Sprintf("f%d: %s", i, []string{".nan", ".inf", "{[1]: a, [2]: b}", "{1: a, '1': b}"}[i%4]))
		numbers = append(numbers, fmt.Sprintf(`"f%d": 1e99%d`, i, i))
	}
	for _, text := range []string{
		"openapi: 3.0.0\ncomponents: {" + strings.Join(fields, ", ") + "}\n",
		strings.Join(fields, "\n"),
		`{"openapi": "3.0.0", "components": {` + strings.Join(numbers, ",") + `}, "info": {` + strings.Join(numbers, ",") + `}}`,
	} {
		first := ""
		for range 50 {
			c := openapi.New(openapi.Options{})
			err := c.AddOpenAPI("f", []byte(text))
			if err == nil {
				t.Fatalf("%s is read", text)
			}
			if first == "" {
				first = err.Error()
			} else if err.Error() != first {
				t.Fatalf("%s\nnow  %v\nthen %s", text, err, first)
			}
		}
	}
}
