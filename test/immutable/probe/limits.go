// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dovetail-ssa/dovetail/test/immutable/server"
)

// Limits finds rules for field values, such as a maximum. It sets each field of each object to
// invalid values, one at a time, and records the errors with which the server rejects the new
// object. In most cases, it ignores errors that are reported for a different field.
type Limits struct {
	roots map[*server.Kind]*Place
	// fields has the findings for each [field], by class of rule.
	fields map[field]map[string]*finding
	// names has the format of metadata.name for each kind. finalizers has the kinds for which
	// the server rejects finalizers without a domain.
	names      map[*server.Kind]string
	finalizers map[*server.Kind]bool
	// Unknown counts the errors that the rules of the table cannot express.
	Unknown map[string]int
	// Conditional lists rules that depend on other fields.
	Conditional []string
}

// field identifies a field of a Go type, or the items or values that the field contains. The
// name consists of the name of the field, a space, and the steps to the items or values, for
// example "ports []".
type field struct {
	owner reflect.Type
	name  string
}

// finding has the rules that belong to one field and one class, such as "required" or "text".
type finding struct {
	// rules contains the rules that were found for each kind. accepts contains the kinds for
	// which the server accepted a value that a rule of this class would forbid.
	rules   map[*server.Kind]map[string]bool
	accepts map[*server.Kind]bool
	// sites contains a few of the objects that the server rejected. The method escape uses them
	// to find out whether the rule depends on other fields.
	sites []site
}

// site is an object that the server rejected.
type site struct {
	object *Object
	place  *Place
	bad    map[string]any
}

// NewLimits returns a Limits without findings.
func NewLimits() *Limits {
	return &Limits{map[*server.Kind]*Place{}, map[field]map[string]*finding{}, map[*server.Kind]string{}, map[*server.Kind]bool{}, map[string]int{}, nil}
}

// Probe sets each field of an object to invalid values.
func (l *Limits) Probe(o *Object) {
	root := l.roots[o.Kind]
	if root == nil {
		root = Places(o.Kind.Type())
		l.roots[o.Kind] = root
	}
	l.metadata(o)
	for _, p := range root.Below {
		if step := p.Path[0]; step != "metadata" && step != "status" {
			p.All(func(p *Place) { l.place(o, p) })
		}
	}
}

const badText = "Not Valid_=/!"

// place sets one field to invalid values.
func (l *Limits) place(o *Object, p *Place) {
	with := runtime.DeepCopyJSON(o.Content)
	before, there := valueAt(with, p.Path)
	if !there {
		if !p.putAt(with, p.Path, p.sample(0)) {
			return
		}
		before, _ = valueAt(with, p.Path)
	}
	at := fieldAt(with, p.Path)
	l.removal(o, p, with, at)
	set := func(v any) (object map[string]any, said []server.Complaint, accepted, ok bool) {
		object = runtime.DeepCopyJSON(with)
		if !p.putAt(object, p.Path, v) {
			return nil, nil, false, false
		}
		said, accepted, ok = create(o, object)
		return object, said, accepted, ok
	}
	switch leafKind(p.Type) {
	case textLeaf:
		l.text(o, p, at, set)
	case numberLeaf, intOrStringLeaf:
		l.number(o, p, at, set, []int64{-1, 0}, []int64{70000, 1<<31 - 1})
		if leafKind(p.Type) == intOrStringLeaf {
			l.text(o, p, at, set)
		}
	case quantityLeaf:
		l.quantity(o, p, at, set)
	}
	if p.Type.Kind() == reflect.Map && p.Type.Key().Kind() == reflect.String {
		l.keys(o, p, with, at)
	}
	if list, ok := before.([]any); ok && len(list) > 0 && p.Type.Kind() == reflect.Slice {
		object, said, accepted, ok := set(append(slices.Clone(list), runtime.DeepCopyJSONValue(list[0])))
		if ok {
			l.duplicates(o, p, at, len(list), object, said, accepted)
		}
	}
}

// create creates an object and returns the server's errors, and whether the server accepted the
// object. The last result is false if the server cannot decode the object.
func create(o *Object, object map[string]any) (said []server.Complaint, accepted, ok bool) {
	internal, err := o.Kind.Read(object)
	if err != nil {
		return nil, false, false
	}
	said = o.Kind.Complaints(internal)
	return said, len(said) == 0, true
}

// fieldAt returns the path of a place as the server's errors spell it, such as
// "spec.ports[0].name".
func fieldAt(object map[string]any, path []string) string {
	var b strings.Builder
	for i, step := range path {
		switch step {
		case Item:
			b.WriteString("[0]")
		case Value:
			m, _ := valueAt(object, path[:i])
			c, _ := m.(map[string]any)
			key, _ := keyOf(c, Value)
			b.WriteString("[" + key + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
	}
	return b.String()
}

// key returns the field that contains a place. It returns false if the place is not inside a
// field.
func (p *Place) key() (field, bool) {
	steps := ""
	for at := p; at != nil; at = at.above {
		if at.Owner != nil {
			return field{at.Owner, at.Path[len(at.Path)-1] + " " + steps}, true
		}
		if len(at.Path) == 0 {
			break
		}
		steps = at.Path[len(at.Path)-1] + steps
	}
	return field{}, false
}

func (l *Limits) finding(p *Place, class string) *finding {
	key, ok := p.key()
	if !ok {
		return &finding{map[*server.Kind]map[string]bool{}, map[*server.Kind]bool{}, nil}
	}
	if l.fields[key] == nil {
		l.fields[key] = map[string]*finding{}
	}
	f := l.fields[key][class]
	if f == nil {
		f = &finding{map[*server.Kind]map[string]bool{}, map[*server.Kind]bool{}, nil}
		l.fields[key][class] = f
	}
	return f
}

func (l *Limits) note(o *Object, p *Place, class, rule string, bad map[string]any) {
	f := l.finding(p, class)
	if f.rules[o.Kind] == nil {
		f.rules[o.Kind] = map[string]bool{}
	}
	f.rules[o.Kind][rule] = true
	ofKind := 0
	for _, s := range f.sites {
		if s.object.Kind == o.Kind {
			ofKind++
		}
	}
	if ofKind < 3 && len(f.sites) < 12 {
		f.sites = append(f.sites, site{o, p, bad})
	}
}

func (l *Limits) accepts(o *Object, p *Place, class string) {
	l.finding(p, class).accepts[o.Kind] = true
}

// complaintsAt returns the errors for a field.
func complaintsAt(complaints []server.Complaint, field string) (all []server.Complaint) {
	for _, c := range complaints {
		if c.Field == field {
			all = append(all, c)
		}
	}
	return all
}

func (l *Limits) removal(o *Object, p *Place, object map[string]any, field string) {
	if p.Owner == nil {
		return
	}
	without := runtime.DeepCopyJSON(object)
	removeAt(without, p.Path)
	said, accepted, ok := create(o, without)
	if !ok {
		return
	}
	if accepted {
		l.accepts(o, p, "required")
		return
	}
	for _, c := range complaintsAt(said, field) {
		if c.Reason != "FieldValueRequired" {
			continue
		}
		detail := strings.TrimPrefix(strings.TrimPrefix(c.Message, "Required value"), ": ")
		rule := "required"
		if p.conditional(detail) {
			continue
		}
		l.note(o, p, "required", strings.TrimSpace(rule+" "+quoted(detail)), without)
		return
	}
}

// conditional reports whether a requirement probably depends on other fields. It guesses this
// from the text of the error and from the field.
func (p *Place) conditional(detail string) bool {
	if p.Owner == nil {
		return strings.Contains(detail, "when") // items and values have no tag, so use only the text
	}
	if tag := tagOf(p); !strings.Contains(tag, "omitempty") && !p.Pointer {
		return false // the API documentation says that the field is required
	}
	name := p.Path[len(p.Path)-1]
	return slices.Contains([]string{"limited", "parentCompositePodGroupName"}, name) || strings.Contains(detail, " type") ||
		slices.ContainsFunc([]string{"when", "either", "resource rules", "given", "auditAnnotations", "must be specified", "valid values"}, func(word string) bool { return strings.Contains(detail, word) }) && name != "pathType"
}

func quoted(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}

func tagOf(p *Place) string {
	var find func(t reflect.Type) string
	find = func(t reflect.Type) string {
		for i := range t.NumField() {
			f := t.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == p.Path[len(p.Path)-1] {
				return options
			}
			if f.Anonymous && f.Type.Kind() == reflect.Struct {
				if s := find(f.Type); s != "" {
					return s
				}
			}
		}
		return ""
	}
	return find(p.Owner)
}

type setter func(v any) (object map[string]any, said []server.Complaint, accepted, ok bool)

// detailOf returns the text of an error after the quoted value.
func detailOf(c server.Complaint, value any) string {
	text := strings.TrimPrefix(c.Message, "Invalid value: ")
	if s, ok := value.(string); ok {
		return strings.TrimPrefix(text, strconv.Quote(s)+": ")
	}
	return strings.TrimPrefix(text, fmt.Sprint(value)+": ")
}

// formats lists the formats of the table. For each format, it contains the start of the message
// with which the server rejects badText.
var formats = []struct{ name, begin string }{
	{"label", "a lowercase RFC 1123 label must"},
	{"subdomain", "a lowercase RFC 1123 subdomain must"},
	{"rfc1035", "a DNS-1035 label must"},
	{"value", "a valid label must be an empty string"},
	{"key", "prefix part a lowercase RFC 1123 subdomain must"},
	{"portname", "must contain only alpha-numeric characters"},
	{"env", "a valid environment variable name must consist only of printable"},
	{"datakey", "a valid config key must"},
	{"segment", "may not contain '/'"},
	{"ip", "must be a valid IP address"},
	{"cidr", "must be a valid CIDR value"},
}

// formatOf returns the format that an error about badText suggests, or "". If the message
// shows badText in lower case, the server ignores case.
func formatOf(c server.Complaint) string {
	for _, text := range []string{badText, strings.ToLower(badText)} {
		detail, ok := strings.CutPrefix(c.Message, "Invalid value: "+strconv.Quote(text)+": ")
		if !ok {
			continue
		}
		for _, f := range formats {
			switch {
			case !strings.HasPrefix(detail, f.begin):
			case text == badText:
				return f.name
			case f.name == "key":
				return "anycase"
			}
		}
	}
	return ""
}

// ignoresCase reports whether a field allows upper-case letters in a subdomain. The error
// message about badText does not show this, so ignoresCase sends another text.
func ignoresCase(field string, set setter) bool {
	_, said, _, ok := set("Upper.Example")
	return ok && len(complaintsAt(said, field)) == 0
}

func (l *Limits) text(o *Object, p *Place, field string, set setter) {
	object, said, accepted, ok := set(badText)
	if !ok {
		return
	}
	if accepted {
		l.accepts(o, p, "text")
	}
	rule := ""
	for _, c := range complaintsAt(said, field) {
		_, list, _ := strings.Cut(c.Message, "supported values: ")
		switch {
		case c.Reason == "FieldValueNotSupported" && strings.Contains(list, "{"):
			l.Unknown[c.Message]++ // the message lists patterns instead of values
		case c.Reason == "FieldValueNotSupported":
			rule = strings.Join(append([]string{"enum"}, strings.Split(list, ", ")...), " ")
		case c.Reason == "FieldValueInvalid" && rule == "":
			detail := detailOf(c, badText)
			if rule = l.oneOf(detail, field, set); rule == "" {
				if name := formatOf(c); name == "subdomain" && ignoresCase(field, set) {
					rule = "format caseless"
				} else if name != "" {
					rule = "format " + name
				} else {
					l.Unknown[detail]++
				}
			}
		}
	}
	if p.Path[len(p.Path)-1] == Item {
		// The error may have the path of the list instead of the item's path.
		for _, c := range complaintsAt(said, strings.TrimSuffix(field, "[0]")) {
			if list, ok := strings.CutPrefix(c.Message, "Unsupported value: "+strconv.Quote(badText)+": supported values: "); ok && rule == "" {
				rule = strings.Join(append([]string{"enum"}, strings.Split(list, ", ")...), " ") + " full self"
				l.note(o, p, "text", rule, object)
				return
			}
		}
	}
	if p.Path[len(p.Path)-1] == Value {
		// The error may have the path of the map, without the key of the label.
		whole := field[:strings.LastIndexByte(field, '[')]
		for _, c := range complaintsAt(said, whole) {
			if formatOf(c) == "value" {
				l.note(o, p, "text", "format value self", object)
				return
			}
		}
	}
	if value, there := valueAt(o.Content, p.Path); there && rule == "format ip" {
		if text, _ := value.(string); net.ParseIP(text) == nil {
			l.accepts(o, p, "text") // some fields accept special texts, such as "None"
			return
		}
	}
	if rule == "" && leafKind(p.Type) == textLeaf {
		object, said, accepted, ok := set("")
		switch {
		case !ok:
		case accepted:
			l.accepts(o, p, "nonempty")
		default:
			for _, c := range complaintsAt(said, field) {
				if detail := strings.TrimPrefix(strings.TrimPrefix(c.Message, "Required value"), ": "); c.Reason == "FieldValueRequired" && !p.conditional(detail) {
					l.note(o, p, "nonempty", "nonempty "+strconv.Quote(detail), object)
					break
				}
			}
		}
		return
	}
	if rule == "" {
		return
	}
	// The server may treat an empty text as a missing value.
	if _, said, accepted, ok := set(""); ok && leafKind(p.Type) == textLeaf {
		refused := complaintsAt(said, field)
		switch {
		case len(refused) > 0 && refused[0].Reason == "FieldValueRequired":
			rule += " nonempty " + strconv.Quote(strings.TrimPrefix(strings.TrimPrefix(refused[0].Message, "Required value"), ": "))
		case len(refused) > 0:
			rule += " full"
		case !accepted && len(said) == 0:
		}
	}
	l.note(o, p, "text", rule, object)
}

// choices lists error messages of fields that allow only certain texts. These messages do not
// list the allowed texts in the usual form, so each entry also contains the texts to try.
var choices = []struct {
	detail string
	values []string
}{
	{"not a valid selector operator", []string{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}},
	{"must be 'OrderedReady' or 'Parallel'", []string{"OrderedReady", "Parallel"}},
	{"must be either Utilization, Value, or AverageValue", []string{"Utilization", "Value", "AverageValue"}},
}

// oneOf returns a rule for a field that accepts only a few texts. The rule lists the texts that
// the server accepts. If the server's message is not one of the messages in choices, oneOf
// returns "".
func (l *Limits) oneOf(detail, field string, set setter) string {
	for _, c := range choices {
		if c.detail != detail {
			continue
		}
		rule := "oneof " + strconv.Quote(detail)
		for _, v := range c.values {
			_, said, _, ok := set(v)
			if ok && !slices.ContainsFunc(complaintsAt(said, field), func(said server.Complaint) bool { return strings.HasSuffix(said.Message, detail) }) {
				rule += " " + strconv.Quote(v)
			}
		}
		return rule
	}
	return ""
}

var integers = regexp.MustCompile(`[0-9]+`)

func (l *Limits) number(o *Object, p *Place, field string, set setter, low, high []int64) {
	refusal := func(v int64) string {
		_, said, _, ok := set(v)
		if !ok {
			return ""
		}
		for _, c := range complaintsAt(said, field) {
			if c.Reason == "FieldValueInvalid" {
				return detailOf(c, v)
			}
		}
		return ""
	}
	if leafKind(p.Type) == numberLeaf || leafKind(p.Type) == intOrStringLeaf {
		object, said, accepted, ok := set(int64(-1))
		switch detail := refusal(-1); {
		case !ok:
		case accepted:
			l.accepts(o, p, "below")
		case detail != "" && len(said) > 0:
			least := int64(0)
			for _, v := range low[1:] {
				if refusal(v) != "" {
					least = v + 1
				}
			}
			if least == 1 && refusal(1) != "" {
				l.Unknown[detail]++
				break
			}
			l.note(o, p, "below", fmt.Sprintf("below %d %s", least, strconv.Quote(detail)), object)
		}
	}
	most := high[len(high)-1]
	object, said, accepted, ok := set(most)
	detail := refusal(most)
	switch {
	case !ok:
	case accepted:
		l.accepts(o, p, "above")
	case detail == "":
		// The server still checks this field if the only errors are missing fields of the same struct,
		// such as the action of a probe. After other errors, it may stop before it reaches this field.
		parent := field[:max(0, strings.LastIndexByte(field, '.'))]
		other := func(c server.Complaint) bool { return c.Reason != "FieldValueRequired" || c.Field != parent }
		if len(said) > 0 && !slices.ContainsFunc(said, other) {
			l.accepts(o, p, "above")
		}
	default:
		for _, text := range slices.Backward(integers.FindAllString(detail, -1)) {
			base := 10
			if strings.Contains(detail, "octal") {
				base = 8
			}
			n, err := strconv.ParseInt(text, base, 64)
			if err == nil && n > 0 && n < most && refusal(n) == "" && refusal(n+1) != "" {
				l.note(o, p, "above", fmt.Sprintf("above %d %s", n, strconv.Quote(detail)), object)
				return
			}
		}
		l.Unknown[detail]++
	}
}

func (l *Limits) quantity(o *Object, p *Place, field string, set setter) {
	object, said, accepted, ok := set("-1")
	if !ok {
		return
	}
	if accepted {
		l.accepts(o, p, "below")
		return
	}
	for _, c := range complaintsAt(said, field) {
		if c.Reason == "FieldValueInvalid" {
			least := 0
			if _, said, _, _ := set("0"); len(complaintsAt(said, field)) > 0 {
				least = 1
			}
			if least == 0 {
				l.note(o, p, "below", "negative "+strconv.Quote(detailOf(c, "-1")), object)
			}
			return
		}
	}
}

func (l *Limits) keys(o *Object, p *Place, base map[string]any, field string) {
	if len(p.Below) != 1 {
		return
	}
	object := runtime.DeepCopyJSON(base)
	v, _ := valueAt(object, p.Path)
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	value := p.Below[0].sample(0)
	if len(m) > 0 {
		value = m[slices.Sorted(maps.Keys(m))[0]]
	}
	m[badText] = value
	said, accepted, ok := create(o, object)
	if !ok {
		return
	}
	if accepted {
		l.accepts(o, p, "keys")
		return
	}
	for _, where := range []string{"self", "key"} {
		name := field
		if where == "key" {
			name += "[" + badText + "]"
		}
		for _, c := range complaintsAt(said, name) {
			if c.Reason != "FieldValueInvalid" {
				continue
			}
			if name := formatOf(c); name != "" {
				l.note(o, p, "keys", "keys "+name+" "+where, object)
				return
			}
			l.Unknown["key: "+detailOf(c, badText)]++
		}
	}
	// Errors about the value of a label are reported for the whole map. The method text handles
	// these errors.
}

func (l *Limits) duplicates(o *Object, p *Place, field string, n int, object map[string]any, said []server.Complaint, accepted bool) {
	if accepted {
		l.accepts(o, p, "unique")
		return
	}
	item := field + "[" + strconv.Itoa(n) + "]"
	for _, c := range said {
		if rest, ok := strings.CutPrefix(c.Field, item); ok && c.Reason == "FieldValueDuplicate" && !strings.ContainsAny(rest, "[") && strings.Count(rest, ".") < 2 {
			l.note(o, p, "unique", strings.TrimSpace("unique "+strings.TrimPrefix(rest, ".")), object)
			return
		}
	}
}

// metadata finds the rules for names and finalizers. It does this by setting invalid ones.
func (l *Limits) metadata(o *Object) {
	object := runtime.DeepCopyJSON(o.Content)
	metadata, _ := object["metadata"].(map[string]any)
	metadata["name"] = badText
	said, _, ok := create(o, object)
	if !ok {
		return
	}
	for _, c := range complaintsAt(said, "metadata.name") {
		if l.names[o.Kind] == "" {
			l.names[o.Kind] = formatOf(c)
		}
	}
	object = runtime.DeepCopyJSON(o.Content)
	metadata, _ = object["metadata"].(map[string]any)
	metadata["finalizers"] = []any{"unknown"}
	if said, _, ok = create(o, object); ok && len(complaintsAt(said, "metadata.finalizers[0]")) > 0 {
		l.finalizers[o.Kind] = true
	}
}

// DropConditional removes the rules that depend on other fields. To find these rules, it changes
// the other fields of each rejected object, one at a time. If the server then accepts the object,
// the rule depends on the changed field.
func (l *Limits) DropConditional() {
	for _, key := range l.sorted() {
		for class, f := range l.fields[key] {
			for _, s := range f.sites {
				if how := l.escape(s); how != "" {
					f.accepts[s.object.Kind] = true
					l.Conditional = append(l.Conditional, fmt.Sprintf("%s %s %s: %v %s", key.owner, key.name, class, s.object, how))
				}
			}
		}
	}
	slices.Sort(l.Conditional)
}

// escape searches for a change of a different field that makes the server accept the rejected
// object. It describes the change, or returns "" if it finds none.
func (l *Limits) escape(s site) string {
	try := func(path []string, how string, change func(object map[string]any) bool) string {
		object := runtime.DeepCopyJSON(s.bad)
		if !change(object) {
			return ""
		}
		if _, accepted, ok := create(s.object, object); ok && accepted {
			return how + " " + strings.Join(path, ".")
		}
		return ""
	}
	for at := s.place; at != nil && at.above != nil; at = at.above {
		if at.Owner == nil {
			continue
		}
		for _, sibling := range at.above.Below {
			if sibling == at || sibling.Path[0] == "status" || sibling.Path[0] == "metadata" {
				continue
			}
			v, there := valueAt(s.bad, sibling.Path)
			if there {
				if how := try(sibling.Path, "without", func(object map[string]any) bool { removeAt(object, sibling.Path); return true }); how != "" {
					return how
				}
			} else if how := try(sibling.Path, "with", func(object map[string]any) bool { return sibling.putAt(object, sibling.Path, sibling.sample(0)) }); how != "" {
				return how
			}
			if b, ok := v.(bool); ok {
				if how := try(sibling.Path, "flipped", func(object map[string]any) bool { return sibling.putAt(object, sibling.Path, !b) }); how != "" {
					return how
				}
			}
			key, _ := sibling.key()
			if text := l.fields[key]["text"]; text != nil {
				for _, value := range text.values() {
					if how := try(sibling.Path, "with "+value+" in", func(object map[string]any) bool { return sibling.putAt(object, sibling.Path, value) }); how != "" {
						return how
					}
				}
			}
		}
	}
	return ""
}

// values returns all texts that the enum rules of the finding allow.
func (f *finding) values() (all []string) {
	for _, rules := range f.rules {
		for rule := range rules {
			if list, ok := strings.CutPrefix(rule, "enum "); ok {
				for _, q := range strings.Fields(list) {
					if v, err := strconv.Unquote(q); err == nil && !slices.Contains(all, v) {
						all = append(all, v)
					}
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

func (l *Limits) sorted() []field {
	return slices.SortedFunc(maps.Keys(l.fields), func(a, b field) int {
		return cmp.Or(strings.Compare(a.owner.PkgPath(), b.owner.PkgPath()), strings.Compare(a.owner.Name(), b.owner.Name()), strings.Compare(a.name, b.name))
	})
}

// Text returns the table for a version of Kubernetes, such as v1.37.2. kube/internal/validation describes
// its format.
func (l *Limits) Text(version string) string {
	t := &limitsText{limits: l, types: map[string]*typeText{}, kinds: map[*server.Kind]int{}}
	return t.write(version)
}
