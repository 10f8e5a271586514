// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package roundtrip

import (
	"reflect"
	"testing"

	fuzz "github.com/google/gofuzz"
	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/value"
	upstream "sigs.k8s.io/structured-merge-diff/v6/value"
)

func TestValues(t *testing.T) {
	each(t, func(t *testing.T, from *fuzz.Fuzzer) {
		var j JSON
		from.Fuzz(&j)
		v, theirs := value.NewValueInterface(j.Data), upstream.NewValueInterface(j.Data)

		text, err := value.ToJSON(v)
		want, wantErr := upstream.ToJSON(theirs)
		if string(text) != string(want) || (err == nil) != (wantErr == nil) {
			t.Errorf("Dovetail encodes %#v as %s, %v, structured-merge-diff as %s, %v", j.Data, text, err, want, wantErr)
			return
		}
		if err != nil {
			return
		}
		back, err := value.FromJSON(text)
		theirBack, theirErr := upstream.FromJSON(text)
		if err != nil || theirErr != nil {
			t.Errorf("%s cannot be decoded: Dovetail %v, structured-merge-diff %v", text, err, theirErr)
			return
		}
		if !reflect.DeepEqual(back.Unstructured(), theirBack.Unstructured()) {
			t.Errorf("Dovetail decodes %s as %#v, structured-merge-diff as %#v", text, back.Unstructured(), theirBack.Unstructured())
		}
		// Integers are decoded as floats here, so they may lose digits.
		if value.Equals(back, v) != upstream.Equals(theirBack, theirs) {
			t.Errorf("%s: the decoded value equals the original: Dovetail %v, structured-merge-diff %v", text, value.Equals(back, v), upstream.Equals(theirBack, theirs))
		}
		if again, err := value.ToJSON(back); err == nil {
			if once, err := value.FromJSON(again); err != nil || !value.Equals(once, back) {
				t.Errorf("%s becomes %s, %v", again, value.ToString(once), err)
			}
		}
	})
}

func TestValuesInYAML(t *testing.T) {
	each(t, func(t *testing.T, from *fuzz.Fuzzer) {
		var j JSON
		from.Fuzz(&j)
		v := value.NewValueInterface(j.Data)
		text, err := value.ToYAML(v)
		if err != nil {
			t.Errorf("%#v: %v", j.Data, err)
			return
		}
		var back any
		if err := yaml.Unmarshal(text, &back); err != nil {
			t.Errorf("%q cannot be decoded: %v", text, err)
			return
		}
		if !value.Equals(value.NewValueInterface(back), v) {
			t.Errorf("%#v is encoded as %q and decoded as %#v", j.Data, text, back)
		}
		if value.Compare(value.NewValueInterface(back), v) != 0 || value.Compare(v, value.NewValueInterface(back)) != 0 {
			t.Errorf("%q equals the written value, but does not compare as equal", text)
		}
	})
}
