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
)

// Random returns a random object of a kind, as a client may send it. Fields can be absent, null
// or zero, or have values that influence defaulting.
func Random(k Kind, seed uint64) map[string]any {
	r := rand.New(rand.NewPCG(seed, 1))
	// density is the probability that a field is set. So some objects are nearly empty, and
	// some are nearly full.
	density := []float64{0, .1, .25, .5, .75, .97}[r.IntN(6)]
	g := &generator{Rand: r, density: density, left: 60 + r.IntN(600)}
	object, _ := g.value(k.Type, nil, "").(map[string]any)
	if object == nil {
		object = map[string]any{}
	}
	object["apiVersion"], object["kind"] = k.GroupVersion().String(), k.Kind
	return object
}

type generator struct {
	*rand.Rand
	density float64
	// left is the number of fields that may still be set
	left  int
	depth int
}

// maxDepth limits the depth of objects whose types contain themselves.
const maxDepth = 16

// Field is a field of a Go struct. Name is its name in JSON.
type Field struct {
	Name string
	Type reflect.Type
	// Index locates the field, as in [reflect.Value.FieldByIndex]. It has one more number for
	// each embedded struct around the field.
	Index []int
}

// Fields returns the fields of a struct, including those of embedded structs.
func Fields(t reflect.Type) []Field {
	var all []Field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		if f.Anonymous && name == "" && (strings.Contains(options, "inline") || options == "") {
			for _, within := range Fields(f.Type) {
				within.Index = append([]int{i}, within.Index...)
				all = append(all, within)
			}
			continue
		}
		all = append(all, Field{name, f.Type, []int{i}})
	}
	return all
}

// value returns a random value of type t for a field. The value may depend on the name of the
// field and on the struct type that contains the field.
func (g *generator) value(t reflect.Type, in reflect.Type, name string) any {
	if t.Kind() == reflect.Pointer {
		return g.value(t.Elem(), in, name)
	}
	if words, ok := specials[t.String()]; ok {
		return words[g.IntN(len(words))]
	}
	switch t.Kind() {
	case reflect.Struct:
		if IsLeaf(t) {
			panic(fmt.Sprintf("no example values for %s", t))
		}
		return g.object(t)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return base64.StdEncoding.EncodeToString([]byte("data"))
		}
		list := []any{}
		for range g.IntN(3) {
			if g.IntN(40) == 0 && t.Elem().Kind() != reflect.Slice {
				list = append(list, nil)
				continue
			}
			list = append(list, g.value(t.Elem(), in, name))
		}
		return list
	case reflect.Map:
		m := map[string]any{}
		keys := keysOf[t.Name()]
		if keys == nil {
			keys = []string{"a", "b", "c"}
		}
		for range g.IntN(4) {
			m[keys[g.IntN(len(keys))]] = g.value(t.Elem(), in, name)
		}
		return m
	case reflect.String:
		return g.text(in, name)
	case reflect.Bool:
		return g.IntN(2) == 0
	case reflect.Int, reflect.Int32, reflect.Int64:
		return []int64{0, 1, 2, 3, 80, -1}[g.IntN(6)]
	case reflect.Float64:
		return 0.5
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return int64(g.IntN(3))
	}
	panic(fmt.Sprintf("no example values for %s", t))
}

func (g *generator) object(t reflect.Type) any {
	object := map[string]any{}
	if g.depth == maxDepth {
		return object
	}
	g.depth++
	defer func() { g.depth-- }()
	fields := Fields(t)
	g.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	for _, f := range fields {
		if g.left <= 0 || g.Float64() >= g.density && g.IntN(12) > 0 {
			continue
		}
		g.left--
		switch g.IntN(20) {
		case 0:
			object[f.Name] = nil
		case 1:
			object[f.Name] = zeroOf(f.Type)
		default:
			object[f.Name] = g.value(f.Type, t, f.Name)
		}
	}
	return object
}

// zeroOf returns a zero value of a type as JSON data.
func zeroOf(t reflect.Type) any {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if words, ok := specials[t.String()]; ok {
		return words[0]
	}
	switch t.Kind() {
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return ""
		}
		return []any{}
	case reflect.Struct, reflect.Map:
		return map[string]any{}
	case reflect.String:
		return ""
	case reflect.Bool:
		return false
	}
	return int64(0)
}

var (
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
	marshaler   = reflect.TypeFor[json.Marshaler]()
)

// IsLeaf reports whether a type has its own method to decode or encode JSON.
func IsLeaf(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(unmarshaler) || t.Implements(marshaler)
}

// specials lists values for types that decode their own JSON. The first value of each type is
// the closest to a zero value.
var specials = map[string][]any{
	"v1.Time":      {nil, "2026-03-01T10:00:00Z", "2026-03-01T10:00:01Z"},
	"v1.MicroTime": {nil, "2026-03-01T10:00:00.000000Z"},
	"v1.Duration":  {"0s", "5s", "1h0m0s"},
	"v1.FieldsV1":  {map[string]any{}, map[string]any{"f:spec": map[string]any{}}},
	"resource.Quantity": {
		"0", "1", "2", "500m", "2Gi", "1.5Gi", "0.0001", "1.00001e0", "1e3", "12e-4", "1500", "-0.0005", "3u", "100n", "1001u",
		"1023.5", "1.0001Ki", "4.7Ki", "0.1Ki", "3E", "1Ti", int64(2), 0.5, 0.0004, "1000000001n",
	},
	"intstr.IntOrString":   {int64(0), "", int64(80), "http", "25%", int64(1)},
	"runtime.RawExtension": {map[string]any{"apiVersion": "v1", "kind": "Thing"}, map[string]any{"apiVersion": "v1", "kind": "Thing", "x": int64(1)}},

	"v1.JSON":                       {"x", map[string]any{"a": nil}, int64(0)},
	"v1.JSONSchemaProps":            {map[string]any{}, map[string]any{"type": "object", "default": map[string]any{"a": nil}}},
	"v1.JSONSchemaPropsOrArray":     {map[string]any{"type": "string"}},
	"v1.JSONSchemaPropsOrBool":      {true},
	"v1beta1.JSON":                  {"x", map[string]any{"a": nil}, int64(0)},
	"v1beta1.JSONSchemaProps":       {map[string]any{}, map[string]any{"type": "object"}},
	"v1beta1.JSONSchemaPropsOrBool": {true},
}

// keysOf lists the keys to use in maps with named types.
var keysOf = map[string][]string{
	"ResourceList": {"cpu", "memory", "hugepages-2Mi", "hugepages-1Gi", "ephemeral-storage", "example.com/device"},
}

// words lists strings that influence defaulting. A key such as "protocol" is for all fields
// with this name. A key such as "ServiceSpec.type" is for the field of one type.
var words = map[string][]string{
	"image": images, "reference": images,
	"protocol":                     {"TCP", "UDP"},
	"restartPolicy":                {"Always", "OnFailure", "Never"},
	"ServiceSpec.type":             {"ClusterIP", "NodePort", "LoadBalancer", "ExternalName", "Other"},
	"sessionAffinity":              {"None", "ClientIP", "Other"},
	"DeploymentStrategy.type":      {"Recreate", "RollingUpdate"},
	"DaemonSetUpdateStrategy.type": {"OnDelete", "RollingUpdate"}, "StatefulSetUpdateStrategy.type": {"OnDelete", "RollingUpdate"},
	"LimitRangeItem.type":                {"Container", "Pod"},
	"Subject.kind":                       {"User", "Group", "ServiceAccount", "Other"},
	"CustomResourceConversion.strategy":  {"None", "Webhook"},
	"allocationMode":                     {"ExactCount", "All"},
	"imagePullPolicy":                    {"Always", "Never"},
	"CustomResourceDefinitionNames.kind": {"Thing", "CamelCase"},
}

var hex64 = strings.Repeat("0123456789abcdef", 4)

var images = []string{
	"nginx", "nginx:latest", "nginx:1.27", "library/nginx", "localhost/nginx", "localhost:5000/nginx", "localhost:5000/nginx:latest",
	"registry.example.com/team/app:v1", "registry.example.com/team/app", "Registry/app", "UPPER", "nginx:", "nginx:Latest", "nginx:la test",
	"nginx@sha256:" + hex64, "nginx:latest@sha256:" + hex64, "nginx:1@sha256:" + hex64, "nginx@sha256:12", "nginx@md5:" + hex64,
	"nginx@sha512:" + hex64 + hex64, "nginx@sha384:" + hex64, "nginx@sha256:" + strings.ToUpper(hex64), hex64, hex64 + ":latest", "a/b/c/d:latest",
	"docker.io/nginx", "docker.io/a/b", "index.docker.io/nginx:latest", "[::1]:5000/app", "[::1]/app:latest", "-bad", "a..b", "a--b", "a__b", "a___b", "a.b/c",
	"x:5000", "http://nginx", "nginx/", "/nginx", "a//b", strings.Repeat("a", 256), strings.Repeat("a", 255), "x/" + strings.Repeat("a", 255), strings.Repeat("a", 247), strings.Repeat("a", 248),
	"nginx:" + strings.Repeat("t", 128), "nginx:" + strings.Repeat("t", 129), " nginx", "nginx ", "nginx:_x", "nginx:.x", "a@b", "é", "a.b:c/d:latest",
}

func (g *generator) text(in reflect.Type, name string) string {
	if in != nil {
		if of, ok := words[in.Name()+"."+name]; ok {
			return of[g.IntN(len(of))]
		}
	}
	if of, ok := words[name]; ok {
		return of[g.IntN(len(of))]
	}
	return []string{"a", "b", "c"}[g.IntN(3)]
}
