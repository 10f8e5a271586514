// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// TestGoForm normalizes random objects of all kinds in all versions with package goform. The
// results must equal the objects that Go decodes and encodes. Some objects also have unknown
// fields, or values in unusual spellings.
func TestGoForm(t *testing.T) {
	release, err := goform.New(Minor)
	if err != nil {
		t.Fatal(err)
	}
	all := Kinds()
	changed, dropped := 0, 0
	for n := range *total {
		k := all[n%len(all)]
		seed := uint64(*first)<<32 + uint64(n)
		sent := Random(k, seed)
		odd := &oddities{Rand: rand.New(rand.NewPCG(seed, 3))}
		if n%2 == 0 {
			odd.object(sent)
		}
		data, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		object, err := k.Decode(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		want := plain.Text(object)

		before := runtime.DeepCopyJSONValue(sent)
		got, lost := release.Normalise(sent)
		if !reflect.DeepEqual(before, sent) {
			t.Errorf("%s, seed %d: the input was modified\n%s", k, seed, data)
		}
		if out := plain.Text(got); out != sortedText(t, want) {
			t.Errorf("%s, seed %d:\nsent %s\n%s", k, seed, data, differences(out, want))
		}
		if again, _ := release.Normalise(got); reflect.ValueOf(again).Pointer() != reflect.ValueOf(got).Pointer() && !odd.yearOne {
			t.Errorf("%s, seed %d: normalizing the result changes it again\nsent %s", k, seed, data)
		}
		if reflect.ValueOf(got).Pointer() != reflect.ValueOf(sent).Pointer() {
			changed++
		}
		if len(lost) > 0 {
			dropped++
		}
		if len(lost) < odd.unknown {
			t.Errorf("%s, seed %d: normalizing removed %d fields, but the object has %d unknown fields: %v\n%s", k, seed, len(lost), odd.unknown, lost, data)
		}
		if t.Failed() && *quick {
			t.FailNow()
		}
	}
	t.Logf("%s: %d objects of %d kinds; %d changed, %d lost fields", release.Version(), *total, len(all), changed, dropped)
	if changed < *total/2 || dropped < *total/10 {
		t.Error("too little was tested")
	}
}

// TestStoredGoForm normalizes random objects for storage. For comparison, Go encodes each
// object as protocol buffers and decodes it, as a server does.
func TestStoredGoForm(t *testing.T) {
	release, err := goform.New(Minor)
	if err != nil {
		t.Fatal(err)
	}
	all := Kinds()
	other := 0
	for n := range *total / 4 {
		k := all[n%len(all)]
		if _, list := reflect.PointerTo(k.Type).MethodByName("GetListMeta"); list || k.Kind == "Eviction" {
			continue // lists and evictions are not stored
		}
		seed := uint64(*first)<<32 + uint64(n)
		sent := Random(k, seed)
		data, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		object, err := k.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		written, ok := object.(interface{ Marshal() ([]byte, error) })
		if !ok {
			continue // stored as JSON
		}
		bytes, err := written.Marshal()
		if err != nil {
			t.Fatalf("%s: %v\n%s", k, err, data)
		}
		read, err := legacyscheme.Scheme.New(k.GroupVersionKind)
		if err != nil {
			t.Fatal(err)
		}
		if err := read.(interface{ Unmarshal([]byte) error }).Unmarshal(bytes); err != nil {
			t.Fatal(err)
		}
		read.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
		want := plain.Text(read)
		got, _ := release.Stored(sent)
		if diff := withoutTypes(differences(plain.Text(got), want)); diff != "" {
			t.Errorf("%s, seed %d:\nsent %s\n%s", k, seed, data, diff)
		}
		if normalized, _ := release.Normalise(sent); plain.Text(normalized) != plain.Text(got) {
			other++
		}
		if t.Failed() && *quick {
			t.FailNow()
		}
	}
	if other < *total/200 {
		t.Errorf("only %d objects change when they are stored: too little was tested", other)
	}
}

// withoutTypes drops differences in apiVersion and kind of embedded objects, such as the claims
// of a StatefulSet. Protocol buffers do not contain these fields. The conversion adds them
// again.
func withoutTypes(differences string) string {
	var left []string
	for line := range strings.SplitSeq(differences, "\n") {
		at, _, _ := strings.Cut(line, ": got ")
		if at != ".spec.volumeClaimTemplates[].apiVersion" && at != ".spec.volumeClaimTemplates[].kind" &&
			at != ".response.result.apiVersion" && at != ".response.result.kind" {
			left = append(left, line)
		}
	}
	return strings.Join(left, "\n")
}

func sortedText(t *testing.T, text string) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var object any
	if err := d.Decode(&object); err != nil {
		t.Fatal(err)
	}
	return plain.Text(object)
}

// oddities adds unknown fields and unusual spellings to random objects.
type oddities struct {
	*rand.Rand
	// unknown counts the added fields that the type does not have.
	unknown int
	// yearOne is set if a zero time was added. Go writes a pointer to a zero time as null, and
	// reads it as nil.
	yearOne bool
}

func (o *oddities) object(m map[string]any) {
	for name, v := range m {
		switch v := v.(type) {
		case map[string]any:
			if name == "spec" || name == "metadata" || name == "status" {
				o.object(v)
			}
		case string:
			if len(v) == 20 && strings.HasSuffix(v, "Z") && o.IntN(2) == 0 {
				m[name] = []string{"2026-03-01T11:30:00+01:30", "2026-03-01T10:00:00.5Z", "0001-01-01T00:00:00Z"}[o.IntN(3)]
				o.yearOne = o.yearOne || m[name] == "0001-01-01T00:00:00Z"
			}
			if v == base64.StdEncoding.EncodeToString([]byte("data")) {
				m[name] = []string{"ZGF0YQ==\n", "ZGF0YR==", ""}[o.IntN(3)]
			}
		}
	}
	if o.IntN(3) == 0 && m["apiVersion"] != nil {
		m["x-unknown"] = []any{nil, int64(1), map[string]any{}}[o.IntN(3)]
		o.unknown++
	}
}

// TestQuantities compares the canonical form of quantities with the result of Kubernetes' code.
func TestQuantities(t *testing.T) {
	r := rand.New(rand.NewPCG(uint64(*first), 4))
	units := []string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E3", "e-3", "e0", "e1", "e+2", "e20", "e-9", "e-12"}
	kept := 0
	release, err := goform.New("1.37")
	if err != nil {
		t.Fatal(err)
	}
	for range *total * 5 {
		text := ""
		for range r.IntN(1 + r.IntN(22)) {
			text += string("000000123456789"[r.IntN(15)])
		}
		if r.IntN(3) == 0 {
			text += "."
			for range r.IntN(1 + r.IntN(14)) {
				text += string("0000000123456789"[r.IntN(16)])
			}
		}
		text = []string{"", "", "", "-", "+"}[r.IntN(5)] + text + units[r.IntN(len(units))]
		if r.IntN(4) == 0 {
			text = fmt.Sprint(1<<r.IntN(40)) + units[r.IntN(len(units))]
		}
		var q resource.Quantity
		err := q.UnmarshalJSON([]byte(`"` + text + `"`))
		if err != nil {
			continue
		}
		want, err := q.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		quota := map[string]any{"apiVersion": "v1", "kind": "ResourceQuota", "spec": map[string]any{"hard": map[string]any{"pods": text}}}
		quota, _ = release.Normalise(quota)
		got := quota["spec"].(map[string]any)["hard"].(map[string]any)["pods"].(string)
		// Kubernetes accepts some texts without digits as quantities.
		if digits, _, _ := strings.Cut(strings.ToLower(text), "e"); `"`+got+`"` != string(want) && strings.ContainsAny(digits, "0123456789") {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		if got == text {
			kept++
		}
	}
	if kept < *total/10 {
		t.Error("too little was tested")
	}
}
