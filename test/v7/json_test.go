// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package v7

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/value"
	upath "sigs.k8s.io/structured-merge-diff/v7/fieldpath"
	uvalue "sigs.k8s.io/structured-merge-diff/v7/value"
)

// documents are the documents to which the test makes random changes.
var documents = []string{
	`null`, `true`, `0`, `-0`, `-1.5e-7`, `1e21`, `123456789012345678901`, `""`, `[]`, `{}`, `"\u0000\b\f\n\r\t\u2028<&>\u007f"`,
	`"\ud83d\ude00 \ud83d \ud800\ud83d\ude00 \\ud83d"`, "\"\u00e9\xff\xfe\"", `[1,"a",null,[{}],true]`, "\ufeff{}", ` [ 1 , 2 ] `,
	`{"a":{"b":1,"c":[1]},"a":{"c":[{"d":2}],"e":null}}`, `{"a":[{"b":1},2],"a":[{"c":1}]}`, `{"a":{"b":1},"a":null}`, `{"a":1,"\u0061":{"b":2}}`,
	"{\"\xff\":1,\"\xfe\":2}", `1e400`, `{"a":1,"b":{"c":1,"c":2}}`,
}

func mutate(r *rand.Rand, doc string) string {
	if doc == "" {
		return doc
	}
	at := r.IntN(len(doc))
	pieces := []string{`"`, `\`, `{`, `}`, `[`, `]`, `:`, `,`, ` `, "\x00", "\xff", "0", "1", "e", "-", ".", `"a":`, `null`, `\u00e9`, `\ud83d`, `\ude00`, `"a":{},`}
	switch r.IntN(4) {
	case 0:
		return doc[:at] + pieces[r.IntN(len(pieces))] + doc[at:]
	case 1:
		return doc[:at] + doc[at+1:]
	case 2:
		other := documents[r.IntN(len(documents))]
		return doc[:at] + other + doc[at:]
	}
	return doc[:at] + pieces[r.IntN(len(pieces))] + doc[at+1:]
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return steadyText(err.Error())
}

// TestNamesOfPlaces checks an error message of structured-merge-diff. If structured-merge-diff
// reads the same element again, the message may contain other names. If the names are always
// the same, Go has fixed its buffers, and [Steady] need not remove names.
func TestNamesOfPlaces(t *testing.T) {
	const element = `k:{"\n":{"app.kubernetes.io/name":["app.kubernetes.io/nameapp.kubernetes.io/nameapp.kubernetes.io/name",1null]}}`
	runtime.GC() // a pool keeps its content for two collections
	runtime.GC()
	_, first := upath.DeserializePathElement(element)
	said := []string{first.Error()}
	for range 100 {
		_, again := upath.DeserializePathElement(element)
		_, ours := fieldpath.DeserializePathElement(element)
		said = append(said, again.Error(), ours.Error())
	}
	slices.Sort(said)
	if said = slices.Compact(said); len(said) != 2 {
		t.Errorf("%q", said)
	}
	for _, s := range said {
		if have := steadyText(s); !strings.Contains(have, `within "/\n/" after offset`) {
			t.Errorf("%s", have)
		}
	}
}

func TestDocuments(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	read, failed := 0, 0
	for range 60000 {
		doc := documents[r.IntN(len(documents))]
		for range r.IntN(3) {
			doc = mutate(r, doc)
		}
		theirs, wrong := uvalue.FromJSON([]byte(doc))
		ours, err := value.FromJSON([]byte(doc))
		if text(wrong) != text(err) {
			t.Fatalf("%q: Dovetail returns the error %v, structured-merge-diff %v", doc, err, wrong)
		}
		if err != nil {
			failed++
			continue
		}
		read++
		if !reflect.DeepEqual(theirs.Unstructured(), ours.Unstructured()) {
			t.Fatalf("%q: Dovetail decodes %v, structured-merge-diff %v", doc, ours.Unstructured(), theirs.Unstructured())
		}
		sameJSON(t, ours.Unstructured())
	}
	if read < 1000 || failed < 1000 {
		t.Errorf("both engines decode %d documents, and reject %d", read, failed)
	}
}

// sameJSON compares the JSON that both engines write for data: as a document, as a path
// element, and in a list of fields.
func sameJSON(t *testing.T, data any) {
	t.Helper()
	theirs, ours := uvalue.NewValueInterface(data), value.NewValueInterface(data)
	want, wrong := uvalue.ToJSON(theirs)
	have, err := value.ToJSON(ours)
	if string(want) != string(have) || text(wrong) != text(err) {
		t.Errorf("JSON of %#v: Dovetail %q, %v, structured-merge-diff %q, %v", data, have, err, want, wrong)
	}
	want, wrong = json.Marshal(&uvalue.FieldList{{Name: "a", Value: theirs}, {Name: "b", Value: theirs}})
	have, err = json.Marshal(&value.FieldList{{Name: "a", Value: ours}, {Name: "b", Value: ours}})
	if string(want) != string(have) || text(wrong) != text(err) {
		t.Errorf("a list of fields with %#v: Dovetail %q, %v, structured-merge-diff %q, %v", data, have, err, want, wrong)
	}
	var to, uto bytes.Buffer
	wrong, err = uvalue.ValueMarshalJSONTo(jsontext.NewEncoder(&uto), theirs), value.ValueMarshalJSONTo(jsontext.NewEncoder(&to), ours)
	if to.String() != uto.String() || text(wrong) != text(err) {
		t.Errorf("%#v, encoded to a stream: Dovetail %q, %v, structured-merge-diff %q, %v", data, to.String(), err, uto.String(), wrong)
	}
	sameElement(t, upath.PathElement{Value: &theirs}, fieldpath.PathElement{Value: &ours})
	sameElement(t, upath.PathElement{Key: &uvalue.FieldList{{Name: "a", Value: theirs}, {Name: "\xff\b", Value: theirs}}},
		fieldpath.PathElement{Key: &value.FieldList{{Name: "a", Value: ours}, {Name: "\xff\b", Value: ours}}})
}

// sameElement compares how both engines write a path element: by itself, and in a set.
func sameElement(t *testing.T, theirs upath.PathElement, ours fieldpath.PathElement) {
	t.Helper()
	want, wrong := upath.SerializePathElement(theirs)
	have, err := fieldpath.SerializePathElement(ours)
	if want != have || text(wrong) != text(err) {
		t.Errorf("%v: Dovetail writes %q, %v, structured-merge-diff %q, %v", ours, have, err, want, wrong)
	}
	name, other := "f\b\f\x01<\u2028\"\\", "\xff"
	uset := upath.NewSet(upath.Path{{FieldName: &name}}, upath.Path{theirs, {FieldName: &name}}, upath.Path{theirs})
	set := fieldpath.NewSet(fieldpath.Path{{FieldName: &name}}, fieldpath.Path{ours, {FieldName: &name}}, fieldpath.Path{ours})
	for range 2 {
		want, wrong := uset.ToJSON()
		have, err := set.ToJSON()
		if !bytes.Equal(want, have) || text(wrong) != text(err) {
			t.Errorf("%v: Dovetail writes %q, %v, structured-merge-diff %q, %v", ours, have, err, want, wrong)
		}
		var stream bytes.Buffer
		if err != nil {
			have = nil // a difference that DIFFERENCES.md lists as stream-errors
		}
		if err := set.ToJSONStream(&stream); stream.String() != string(have) || text(err) != text(wrong) {
			t.Errorf("%v: to a stream, Dovetail writes %q, %v", ours, stream.String(), err)
		}
		uset.Insert(upath.Path{{FieldName: &other}})
		set.Insert(fieldpath.Path{{FieldName: &other}})
	}
}

type text1 string

func (t text1) MarshalText() ([]byte, error) { return []byte("<" + string(t) + ">"), nil }

type anyPair struct{ A, B any }

func TestData(t *testing.T) {
	for _, data := range []any{
		nil, true, "", "a\b\fb", "\xff", "<&>\u2028", 0, int64(-5), int64(1) << 60, 1.5, 0.0, math.Copysign(0, -1), 1e-7, 1e21, 1e20, 5e-324, math.MaxFloat64,
		math.NaN(), math.Inf(1), math.Inf(-1), float32(0.1), float32(1e-7), int32(3), int8(3), uint8(3), uint64(math.MaxUint64),
		[]any{}, []any(nil), map[string]any{}, map[string]any(nil), []any{1, "a", []any{1.5, nil}, map[string]any{"b": 1, "a": "<"}},
		map[string]any{"\xff": 1}, map[string]any{"\xff": 1, "\xfe": 2}, map[string]any{"z": 1, "a": []any(nil), "é": map[string]any(nil)},
		map[string]any{"a": float32(0.1), "b": int32(7)}, []any{float32(0.1)}, map[string]any{"a": math.NaN()}, []any{math.Inf(1)},
		map[any]any{"a": 1}, map[any]any{1: 2}, []string{"a"}, map[string]string{"a": "b"}, []byte("ab"),
		jsontext.Value(`{"a": 1}`), struct{ A int }{1}, anyPair{1, "x"}, text1("x"), new(int), (*int)(nil), complex(1, 2), make(chan int),
		func() {}, [2]int{1, 2}, []any{text1("y")}, map[string]any{"a": anyPair{}},
	} {
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Logf("%T: one of the engines panics: %v", data, r)
					func() {
						defer func() {
							if r := recover(); r != nil {
								t.Errorf("%T: Dovetail panics: %v", data, r)
							}
						}()
						v := value.NewValueInterface(data)
						_, _ = value.ToJSON(v)
						_, _ = fieldpath.SerializePathElement(fieldpath.PathElement{Value: &v})
					}()
				}
			}()
			sameJSON(t, data)
		}()
	}
	for i := range 3 {
		sameElement(t, upath.PathElement{Index: &i}, fieldpath.PathElement{Index: &i})
	}
	sameElement(t, upath.PathElement{}, fieldpath.PathElement{})
	sameElement(t, upath.PathElement{Key: &uvalue.FieldList{}}, fieldpath.PathElement{Key: &value.FieldList{}})
}

// TestDecodeOverASet decodes a document into a set that is not empty. If decoding fails, it
// checks the content of the set.
func TestDecodeOverASet(t *testing.T) {
	for _, doc := range []string{
		``, ` `, `null`, `{}`, `{"f:a":{}}`, `{"f:a":null}`, `{"f:a":1}`, `{"f:a":{}} x`, `{"f:a":{}}{}`, `{"f:a"`, `{"f:a":{},"v:":{}}`, `{"f:a":{},"x":{}}`,
		`{"f:a":{},"x:y":{}}`, `{"f:a":{}},`, `[]`, `1`, "{\"f:\xff\":{}}", `{"f:\ud800":{}}`, `{"f:a":{"f:b":{}},"f:a":{"f:c":{}}}`, `{".":1,"f:a":{".":[]}}`,
		`{"k:null":{}}`, `{"k:{\"a\":1,\"a\":2}":{}}`, `{"k:[]":{}}`, `{"v:{\"a\":{\"b\":1},\"a\":{\"c\":1}}":{}}`, `{"v:1 ":{}}`, `{"v:1 2":{}}`, `{"i:a":{}}`, `{"":{}}`,
	} {
		for _, way := range []func(string) io.Reader{
			func(s string) io.Reader { return strings.NewReader(s) },
			func(s string) io.Reader { return bytes.NewBufferString(s) },
			func(s string) io.Reader { return io.MultiReader(strings.NewReader(s), failing{}) },
			func(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) },
		} {
			uset := upath.NewSet(upath.MakePathOrDie("before"))
			set := fieldpath.NewSet(fieldpath.MakePathOrDie("before"))
			wrong, err := uset.FromJSON(way(doc)), set.FromJSON(way(doc))
			if text(wrong) != text(err) || uset.String() != set.String() {
				t.Errorf("%q, decoded into a set: Dovetail %v, %v, structured-merge-diff %v, %v", doc, set, err, uset, wrong)
			}
		}
		var theirs uvalue.FieldList
		var ours value.FieldList
		wrong, err := json.Unmarshal([]byte(doc), &theirs), json.Unmarshal([]byte(doc), &ours)
		if text(wrong) != text(err) || !equalFields(theirs, ours) {
			t.Errorf("%q, decoded as a list of fields: Dovetail %v, %v, structured-merge-diff %v, %v", doc, ours, err, theirs, wrong)
		}
	}
}

func equalFields(theirs uvalue.FieldList, ours value.FieldList) bool {
	if len(theirs) != len(ours) || (theirs == nil) != (ours == nil) {
		return false
	}
	for i, f := range theirs {
		if f.Name != ours[i].Name || !reflect.DeepEqual(f.Value.Unstructured(), ours[i].Value.Unstructured()) {
			return false
		}
	}
	return true
}

var errFailing = errors.New("it fails")

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, errFailing }
func (failing) Write([]byte) (int, error) { return 0, errFailing }

func TestStreamErrors(t *testing.T) {
	uset, set := upath.NewSet(upath.MakePathOrDie("a")), fieldpath.NewSet(fieldpath.MakePathOrDie("a"))
	wrong, err := uset.ToJSONStream(failing{}), set.ToJSONStream(failing{})
	if text(wrong) != text(err) || !errors.Is(wrong, errFailing) || !errors.Is(err, errFailing) {
		t.Errorf("writing to a stream that fails: Dovetail returns %v, structured-merge-diff %v", err, wrong)
	}
}
