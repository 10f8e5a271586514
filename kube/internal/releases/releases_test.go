// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package releases

import "testing"

func TestFind(t *testing.T) {
	known := []string{"v1.36.4", "1.37"}
	version := func(s string) string { return s }
	for want, found := range map[string]string{"1.36": "v1.36.4", "v1.36.9": "v1.36.4", "1.37.2": "1.37", "1.3": "", "1": "", "": "", "v2.37": ""} {
		got, err := Find(known, version, want, "the types")
		if got != found || (err == nil) != (found != "") {
			t.Errorf("%q: got %q, %v", want, got, err)
		}
	}
	if _, err := Find(known, version, "1.20", "the types"); err.Error() != "the types of Kubernetes 1.20 are not known; known are those of v1.36.4, 1.37" {
		t.Error(err)
	}
}
