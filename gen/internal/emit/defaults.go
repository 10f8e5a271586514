// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/gen/internal/markers"
)

// Defaults generates a Go file with a function SetObjectDefaults_T for each API object type T
// in a package, and a function RegisterDefaults, which registers these functions with a
// runtime.Scheme. Defaults returns nil if the package has neither such types nor
// +k8s:defaulter-gen.
//
// A generated function first calls the handwritten functions SetDefaults_T, if there are any. Then
// it sets zero fields to their defaults, and descends into nested values. Objects never share a
// default: each gets its own copy. If a type has custom JSON methods and can be copied, the program
// parses its default once at startup, and then copies the result.
func Defaults(src *markers.Source, p *markers.Package, header string) ([]byte, error) {
	roots, asked, err := defaultRoots(src, p)
	if err != nil {
		return nil, err
	}
	if len(roots) == 0 && !asked {
		return nil, nil
	}
	g := &defaulter{
		src: src, pkg: p, f: newGoFile(p.Path, p.Name), idle: map[string]bool{}, busy: map[string]bool{}, requested: map[string]bool{},
		names: map[string]string{}, used: map[string]bool{}, roots: map[string]bool{}, parsed: map[string]string{}, rootNames: map[string]int{},
	}
	for _, name := range []string{"in", "i", "k", "v", "made", "scheme", "obj"} {
		g.f.taken[name] = true
	}
	var working []*types.Named
	for _, t := range roots {
		g.roots[key(t)] = true
		g.rootNames[t.Obj().Name()]++
		if g.needsFilling(t) {
			working = append(working, t)
		}
	}
	if registers(roots, p) {
		g.register(working)
	}
	for _, t := range working {
		g.request(t)
	}
	for len(g.todo) > 0 {
		t := g.todo[0]
		g.todo = g.todo[1:]
		g.function(t)
	}
	g.helpers()
	if g.err != nil {
		return nil, g.err
	}
	return g.f.text(header)
}

// registers reports whether the file needs RegisterDefaults. It does if the package has API
// objects, or if a +k8s:defaulter-gen marker requests the function.
func registers(roots []*types.Named, p *markers.Package) bool {
	return slices.ContainsFunc(roots, func(t *types.Named) bool { return isKind(t) }) ||
		slices.ContainsFunc(markers.Each(p.Markers(), "k8s:defaulter-gen"), func(m *markers.Marker) bool { return strings.HasSuffix(m.Value, "Meta") })
}

// register writes RegisterDefaults. It skips types that do not embed TypeMeta, because a
// scheme cannot hold them.
func (g *defaulter) register(working []*types.Named) {
	runtime := g.f.use("k8s.io/apimachinery/pkg/runtime", "runtime")
	g.f.printf("// RegisterDefaults registers the functions that set the defaults of the package's\n// types.\n")
	g.f.printf("func RegisterDefaults(scheme *%s.Scheme) error {\n", runtime)
	for _, t := range working {
		if isKind(t) {
			name := g.f.typeText(t)
			g.f.printf("scheme.AddTypeDefaultingFunc(&%s{}, func(obj any) { %s(obj.(*%s)) })\n", name, g.name(t), name)
		}
	}
	g.f.printf("return nil\n}\n")
}

// defaultRoots returns the types that need a defaulting function, sorted by name. requested is
// true if the package has the marker +k8s:defaulter-gen.
func defaultRoots(src *markers.Source, p *markers.Package) (roots []*types.Named, requested bool, err error) {
	filters := map[string]bool{}
	for _, m := range markers.Each(p.Markers(), "k8s:defaulter-gen") {
		requested = true
		filters[m.Value] = true
	}
	if filters["false"] {
		return nil, false, nil
	}
	delete(filters, "covers")
	if len(filters) == 0 {
		filters["TypeMeta"] = true
	}
	inputs := []*markers.Package{}
	for _, m := range markers.Each(p.Markers(), "k8s:defaulter-gen-input") {
		in, ok := src.Package(m.Value)
		if !ok {
			return nil, false, fmt.Errorf("package %s: %s: that package was not loaded: import it, or add it to the arguments", p.Path, m)
		}
		inputs = append(inputs, in)
	}
	if len(inputs) == 0 {
		inputs = append(inputs, p)
	}
	for _, in := range inputs {
		for _, t := range in.Types() {
			named, ok := t.Object.Type().(*types.Named)
			if !ok || t.Object.IsAlias() || named.TypeParams().Len() > 0 || !isStruct(named) || in != p && !t.Object.Exported() {
				continue
			}
			wanted := filters["true"]
			for name := range filters {
				wanted = wanted || embeds(named, name) || hasField(named, name)
			}
			for _, m := range markers.Each(t.Markers, "k8s:defaulter-gen") {
				wanted = m.Value == "true" || wanted && m.Value != "false"
			}
			if wanted {
				roots = append(roots, named)
			}
		}
	}
	return roots, requested, nil
}

func hasField(t types.Type, name string) bool {
	st := t.Underlying().(*types.Struct)
	for i := range st.NumFields() {
		if st.Field(i).Name() == name {
			return true
		}
	}
	return false
}

// defaulter generates the functions of a package.
type defaulter struct {
	src *markers.Source
	pkg *markers.Package
	f   *goFile
	// busy contains the types whose values need defaulting code, and idle contains those whose
	// values do not.
	busy, idle map[string]bool
	requested  map[string]bool
	roots      map[string]bool
	rootNames  map[string]int // for each type name, the number of root types with this name
	names      map[string]string
	used       map[string]bool // the function names in use
	todo       []*types.Named
	// parsed lists the defaults that the generated program parses at startup. It maps the type and
	// the JSON text of each default to the variable that holds the parsed value.
	parsed      map[string]string
	parsedOrder []string
	needs       struct{ pointer, parse, zero bool }
	depth       int
	nested      int
	err         error
}

func key(t types.Type) string { return types.TypeString(t, nil) }

func (g *defaulter) fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
}

// nilable reports whether t is a pointer or an interface, whose nil represents null.
func nilable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	return false
}

// isZeroDefault reports whether the default v is the zero value of type t, so that setting it
// has no effect.
func (g *defaulter) isZeroDefault(v any, t types.Type) bool {
	if nilable(t) {
		return false
	}
	switch g.src.Shape(t) {
	case markers.Struct:
		m, ok := v.(map[string]any)
		return ok && len(m) == 0
	case markers.String, markers.Boolean, markers.Integer, markers.Number:
		return markers.IsZero(v) || v == "0" && g.src.Shape(t) != markers.String
	}
	return false
}

// name returns the name of the defaulting function for a struct type.
func (g *defaulter) name(t *types.Named) string {
	k := key(t)
	if name, ok := g.names[k]; ok {
		return name
	}
	name := "SetObjectDefaults_" + t.Obj().Name()
	switch {
	case g.roots[k] && g.rootNames[t.Obj().Name()] > 1:
		// Another input package has a type with the same name, so add the package name.
		name = "SetObjectDefaults_" + g.f.use(t.Obj().Pkg().Path(), t.Obj().Pkg().Name()) + "_" + t.Obj().Name()
	case !g.roots[k]:
		name = "setDefaults_" + identifier(strings.ReplaceAll(argumentName(t), "__", "_"))
		if t.Obj().Pkg().Path() != g.pkg.Path {
			name = "setDefaults_" + g.f.use(t.Obj().Pkg().Path(), t.Obj().Pkg().Name()) + "_" + argumentName(t)
		}
	}
	name = g.unusedName(name)
	g.names[k], g.used[name] = name, true
	return name
}

// unusedName returns name, with a number appended if the package already uses name.
func (g *defaulter) unusedName(name string) string {
	for base, n := name, 2; ; n++ {
		if strings.HasPrefix(base, "SetObjectDefaults_") {
			return name
		}
		if _, taken := g.pkg.Func(name); !taken && !g.used[name] {
			return name
		}
		name = fmt.Sprintf("%s_%d", base, n)
	}
}

// request schedules the generation of the function of a type. It does nothing if there is a
// handwritten function.
func (g *defaulter) request(t *types.Named) {
	k := key(t)
	if g.requested[k] {
		return
	}
	g.requested[k] = true
	if g.roots[key(t)] {
		if _, ok := g.pkg.Func("SetObjectDefaults_" + t.Obj().Name()); ok {
			return
		}
	}
	g.todo = append(g.todo, t)
}

func (g *defaulter) function(t *types.Named) {
	g.depth, g.nested = 0, 0
	g.f.printf("\nfunc %s(in *%s) {\n", g.name(t), g.f.typeText(t))
	for _, h := range g.handwritten(t) {
		g.f.printf("%s(in)\n", g.funcText(h))
	}
	g.structFields(t, "in")
	g.f.printf("}\n")
}

func (g *defaulter) funcText(f *types.Func) string {
	if name := g.f.use(f.Pkg().Path(), f.Pkg().Name()); name != "" {
		return name + "." + f.Name()
	}
	return f.Name()
}

// structFields writes code that sets defaults in the fields of x.
func (g *defaulter) structFields(t types.Type, x string) {
	if g.src.Shape(t) != markers.Struct {
		return
	}
	for _, f := range g.fields(t) {
		at := x + "." + f.Go
		if f.Name == "" {
			g.embedded(f, at)
			continue
		}
		if d := g.src.Default(f); d != nil {
			g.set(d.Value, f.Type, at, f.Quoted)
		}
		g.fill(f.Type, at)
	}
}

// embedded writes code that sets defaults in an embedded struct. For a nil pointer, the
// code allocates the struct only if one of its fields gets a default.
func (g *defaulter) embedded(f *markers.Field, at string) {
	p, ok := types.Unalias(f.Type).(*types.Pointer)
	if !ok {
		g.fill(f.Type, at)
		return
	}
	if !g.needsFilling(p.Elem()) || !f.Var.Exported() {
		return
	}
	g.needs.zero = true
	v := g.local("made")
	g.f.printf("if %s == nil {\nvar %s %s\n", at, v, g.f.typeText(p.Elem()))
	g.fill(p.Elem(), v)
	g.f.printf("if !%s(%s) {\n%s = &%s\n}\n} else {\n", g.helper("defaultIsZero"), v, at, v)
	g.fill(p.Elem(), "(*"+at+")")
	g.f.printf("}\n")
}

func (g *defaulter) local(name string) string {
	if g.depth++; g.depth == 1 {
		return name
	}
	return fmt.Sprintf("%s%d", name, g.depth)
}

// set writes code that sets x to the default v if x is zero.
func (g *defaulter) set(v any, t types.Type, x string, quoted bool) {
	if g.isZeroDefault(v, t) {
		return
	}
	g.f.printf("if %s {\n%s = %s\n}\n", g.zero(t, x), x, g.literal(v, t, quoted, false))
}

// zero returns a Go expression that is true if x is zero.
func (g *defaulter) zero(t types.Type, x string) string {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
		return x + " == nil"
	case *types.Basic:
		switch i := u.Info(); {
		case i&types.IsString != 0:
			return x + ` == ""`
		case i&types.IsBoolean != 0:
			return "!" + x
		}
		return x + " == 0"
	}
	if types.Comparable(t) {
		return x + " == (" + g.f.typeText(t) + "{})"
	}
	g.needs.zero = true
	return g.helper("defaultIsZero") + "(" + x + ")"
}

// fill writes code that sets the defaults of the values inside x. It does not set the default of x
// itself. x is an assignable Go expression.
func (g *defaulter) fill(t types.Type, x string) {
	t = types.Unalias(t)
	if !g.needsFilling(t) {
		return
	}
	if g.nested++; g.nested > maxDepth {
		g.fail("%s: lists and maps are nested more than %d levels deep in %s", g.pkg.Path, maxDepth, key(t))
		return
	}
	defer func() { g.nested-- }()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		g.f.printf("if %s != nil {\n", x)
		g.fill(p.Elem(), "(*"+x+")")
		g.f.printf("}\n")
		return
	}
	if named, ok := t.(*types.Named); ok && isStruct(t) && g.nameable(named) {
		g.request(named)
		g.f.printf("%s(%s)\n", g.name(named), address(x))
		return
	}
	for _, h := range g.handwritten(t) {
		g.f.printf("%s(%s)\n", g.funcText(h), address(x))
	}
	switch g.src.Shape(t) {
	case markers.Struct:
		g.structFields(t, x)
	case markers.List:
		elem, _ := markers.Elem(t)
		d := g.src.TypeDefault(elem)
		if (d == nil || g.isZeroDefault(d.Value, elem)) && !g.needsFilling(elem) {
			return
		}
		i := g.local("i")
		g.f.printf("for %s := range %s {\n", i, x)
		at := x + "[" + i + "]"
		if d != nil {
			g.set(d.Value, elem, at, false)
		}
		g.fill(elem, at)
		g.f.printf("}\n")
	case markers.Map:
		g.entries(t, x)
	}
}

// entries writes code that sets defaults in the values of a map. Map values are not assignable,
// so the code changes a copy and stores it back. It also deletes entries whose value is null and
// has no default.
func (g *defaulter) entries(t types.Type, x string) {
	elem, _ := markers.Elem(t)
	d := g.src.TypeDefault(elem)
	works := g.needsFilling(elem)
	set := d != nil && !g.isZeroDefault(d.Value, elem)
	if !set && !works && !nilable(elem) {
		return
	}
	k := g.local("k")
	v := "v" + strings.TrimPrefix(k, "k")
	g.f.printf("for %s, %s := range %s {\n", k, v, x)
	switch {
	case set:
		g.set(d.Value, elem, v, false)
	case nilable(elem):
		g.f.printf("if %s == nil {\ndelete(%s, %s)\ncontinue\n}\n", v, x, k)
	}
	g.fill(elem, v)
	if set || !nilable(elem) {
		g.f.printf("%s[%s] = %s\n", x, k, v)
	}
	g.f.printf("}\n")
}

// address returns a Go expression for the address of x.
func address(x string) string {
	inner, ok := strings.CutPrefix(x, "(*")
	if !ok {
		return "&" + x
	}
	depth := 1
	for i, c := range inner {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(inner)-1 {
			return "&" + x
		}
	}
	return inner[:len(inner)-1]
}

// nameable reports whether code in the package can refer to a type by name.
func (g *defaulter) nameable(t *types.Named) bool {
	if !t.Obj().Exported() && t.Obj().Pkg().Path() != g.pkg.Path {
		return false
	}
	// A type that is declared inside a function has no name outside the function.
	return t.Obj().Parent() == nil || t.Obj().Parent() == t.Obj().Pkg().Scope()
}

// handwritten returns the handwritten SetDefaults_T functions of a type.
func (g *defaulter) handwritten(t types.Type) []*types.Func {
	o := markers.NameOf(t)
	if o == nil {
		return nil
	}
	return g.src.Handwritten(o, g.pkg)
}

// needsFilling reports whether values inside a value of type t need defaulting code.
func (g *defaulter) needsFilling(t types.Type) bool {
	t = types.Unalias(t)
	k := key(t)
	if g.busy[k] || g.idle[k] {
		return g.busy[k]
	}
	g.decide(t)
	return g.busy[k]
}

// decide records whether t and the types inside it need defaulting code. A type needs code
// if it has a default or a handwritten function, or if it contains a type that needs code.
func (g *defaulter) decide(t types.Type) {
	users := map[string][]string{}
	var busy []string
	todo := []types.Type{t}
	g.idle[key(t)] = true
	for len(todo) > 0 {
		t := todo[0]
		todo = todo[1:]
		k := key(t)
		direct, inside := g.needsDirectly(t)
		if direct {
			busy = append(busy, k)
		}
		for _, c := range inside {
			c = types.Unalias(c)
			of := key(c)
			users[of] = append(users[of], k)
			switch {
			case g.busy[of]:
				busy = append(busy, k)
			case !g.idle[of]:
				g.idle[of] = true
				todo = append(todo, c)
			}
		}
	}
	for len(busy) > 0 {
		k := busy[0]
		busy = busy[1:]
		if g.busy[k] {
			continue
		}
		g.busy[k] = true
		delete(g.idle, k)
		busy = append(busy, users[k]...)
	}
}

// needsDirectly reports whether type t needs code because of its own handwritten functions and
// defaults. It ignores the types of the values inside t, and returns these types.
func (g *defaulter) needsDirectly(t types.Type) (needs bool, inside []types.Type) {
	needs = len(g.handwritten(t)) > 0
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return needs, []types.Type{p.Elem()}
	}
	has := func(d *markers.Default, t types.Type) bool { return d != nil && !g.isZeroDefault(d.Value, t) }
	switch shape := g.src.Shape(t); shape {
	case markers.Struct:
		for _, f := range g.fields(t) {
			needs = needs || f.Name != "" && has(g.src.Default(f), f.Type)
			inside = append(inside, f.Type)
		}
	case markers.List, markers.Map:
		elem, _ := markers.Elem(t)
		needs = needs || has(g.src.TypeDefault(elem), elem) || shape == markers.Map && nilable(elem)
		inside = append(inside, elem)
	}
	return needs, inside
}

// fields returns the fields of a struct that the package can access.
func (g *defaulter) fields(t types.Type) []*markers.Field {
	all := g.src.Fields(t.Underlying().(*types.Struct), markers.NameOf(t))
	return slices.DeleteFunc(slices.Clone(all), func(f *markers.Field) bool {
		return !f.Var.Exported() && f.Var.Pkg().Path() != g.pkg.Path
	})
}
