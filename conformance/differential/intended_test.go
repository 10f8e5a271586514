package differential

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
	upstreamtyped "sigs.k8s.io/structured-merge-diff/v6/typed"
	upstream "sigs.k8s.io/structured-merge-diff/v6/value"
)

// These are the differences of DIFFERENCES.md that random cases do not reach,
// by their ids.

// shared-nan
func TestSharedNaN(t *testing.T) {
	data := map[string]any{"a": math.NaN()}
	if upstream.Equals(upstream.NewValueInterface(data), upstream.NewValueInterface(data)) {
		t.Error("upstream has changed: a map with a NaN equals itself")
	}
	if !value.Equals(value.NewValueInterface(data), value.NewValueInterface(data)) {
		t.Error("a map does not equal itself")
	}
}

// changed-data
func TestChangedData(t *testing.T) {
	const text = `types:
- name: a
  map: {fields: [{name: s, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}]}
`
	their, err := upstreamtyped.NewParser(text)
	if err != nil {
		t.Fatal(err)
	}
	own, err := typed.NewParser(text)
	if err != nil {
		t.Fatal(err)
	}
	object := func() (map[string]any, []any) {
		items := []any{"p", "q"}
		return map[string]any{"s": items}, items
	}
	data, items := object()
	theirs, err := their.Type("a").FromUnstructured(data)
	if err != nil {
		t.Fatal(err)
	}
	other, err := their.Type("a").FromUnstructured(map[string]any{"s": []any{"r"}})
	if err != nil {
		t.Fatal(err)
	}
	items[1] = "p"
	if _, err := other.Merge(theirs); err == nil {
		t.Error("upstream has changed: it does not see a duplicate that came later")
	}
	data, items = object()
	ours, err := own.Type("a").FromUnstructured(data)
	if err != nil {
		t.Fatal(err)
	}
	another, err := own.Type("a").FromUnstructured(map[string]any{"s": []any{"r"}})
	if err != nil {
		t.Fatal(err)
	}
	items[1] = "p"
	if _, err := another.Merge(ours); err != nil {
		t.Errorf("got %v of a value that is known to be valid", err)
	}
	if ours.Validate() == nil {
		t.Error("Validate does not look")
	}
	if _, err := own.Type("a").FromUnstructured(data); err == nil {
		t.Error("a value that is made anew is not looked at")
	}
}

// Outer and the structs below it have their fields at different indexes.
type Outer struct {
	Zero   string `json:"zero"`
	Level1 `json:",inline"`
}

// Level1 is embedded in Outer.
type Level1 struct {
	One    string `json:"one"`
	Two    string `json:"two"`
	Level2 `json:",inline"`
	Level3 `json:",inline"`
}

// Level2 is embedded in Level1.
type Level2 struct {
	Three string `json:"three"`
	Lowest
}

// Level3 is embedded in Level1, next to Level2.
type Level3 struct {
	Four string `json:"four"`
	Deep
}

// Lowest is embedded in Level2.
type Lowest struct {
	Pad  string `json:"pad"`
	Last string `json:"last"`
}

// Deep is embedded in Level3.
type Deep struct {
	Five string `json:"five"`
	Six  string `json:"six"`
}

// deep-embedding
func TestDeepEmbedding(t *testing.T) {
	in := &Outer{Zero: "0"}
	in.One, in.Two, in.Three, in.Four, in.Five, in.Six, in.Pad, in.Last = "1", "2", "3", "4", "5", "6", "p", "l"
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	own, err := value.NewValueReflect(in)
	if err != nil {
		t.Fatal(err)
	}
	if have := own.Unstructured(); !reflect.DeepEqual(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
	theirs, err := upstream.NewValueReflect(in)
	if err != nil {
		t.Fatal(err)
	}
	if reflect.DeepEqual(theirs.Unstructured(), want) {
		t.Error("upstream has changed: it reads deeply embedded structs")
	}
}

// Selfish embeds itself.
type Selfish struct {
	*Selfish `json:",inline"`
	Name     string `json:"name"`
}

// Marshaler is an interface that may be nil.
type Marshaler interface{ MarshalJSON() ([]byte, error) }

// Holder has an interface with MarshalJSON.
type Holder struct {
	Any Marshaler `json:"any"`
}

// Cycle points at itself.
type Cycle *Cycle

// odd-structs; upstream never returns from the first and the second.
func TestOddStructs(t *testing.T) {
	v, err := value.NewValueReflect(&Selfish{Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if have := v.Unstructured(); !reflect.DeepEqual(have, map[string]any{"name": "a"}) {
		t.Errorf("a struct that embeds itself is %v", have)
	}
	if text := panicOf(func() {
		var c Cycle
		c = &c
		v, err := value.NewValueReflect(&struct {
			C Cycle `json:"c"`
		}{c})
		if err == nil {
			v.Unstructured()
		}
	}); text == "" {
		t.Error("a cyclic pointer passes")
	}
	v, err = value.NewValueReflect(&Holder{})
	if err != nil {
		t.Fatal(err)
	}
	if have := v.Unstructured(); !reflect.DeepEqual(have, map[string]any{"any": nil}) {
		t.Errorf("a nil interface is %v", have)
	}
	if panicOf(func() {
		if v, err := upstream.NewValueReflect(&Holder{}); err == nil {
			v.Unstructured()
		}
	}) == "" {
		t.Error("upstream has changed: a nil interface with MarshalJSON does not panic")
	}
}

func panicOf(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = "panic"
			if err, ok := r.(error); ok {
				text = err.Error()
			}
		}
	}()
	f()
	return ""
}

// depth; upstream's stack would overflow, which nothing recovers from.
func TestDepth(t *testing.T) {
	var data any = "leaf"
	for i := 0; i < 200000; i++ {
		data = map[string]any{"a": data}
	}
	if _, err := typed.DeducedParseableType.FromUnstructured(data); err == nil {
		t.Error("200,000 levels of data are accepted")
	}
	text := strings.Repeat(`{"f:a":`, 200000) + "{}" + strings.Repeat("}", 200000)
	if err := new(fieldpath.Set).FromJSON(strings.NewReader(text)); err == nil {
		t.Error("200,000 levels of FieldsV1 are accepted")
	}
}
