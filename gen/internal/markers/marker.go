// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// Marker is a comment line that starts with a plus sign.
type Marker struct {
	// Name is the part before the value, such as "default" or "listType". If a marker has
	// several spellings, Name is the Kubernetes spelling.
	Name string
	// Spelled is the name as written in the comment.
	Spelled string
	// Value is the text after the name. HasValue is true if an equals sign follows the name.
	Value    string
	HasValue bool
	// text is the whole marker without the plus sign.
	text     string
	pos, end token.Pos
	// detached is true if a blank line separates the marker from the declaration. trailing is
	// true if the marker is on the same line as the field.
	detached, trailing bool
	// lines contains the comment lines between this marker and the next one.
	lines []string
}

// kubebuilder reports whether the marker belongs to controller-gen. The values of controller-gen's
// markers are not JSON, but have a syntax of their own.
func (m *Marker) kubebuilder() bool { return strings.HasPrefix(m.Spelled, "kubebuilder:") }

// String returns the marker as written in the comment.
func (m *Marker) String() string { return "+" + m.text }

// markersIn returns the markers of a comment.
func markersIn(g *ast.CommentGroup) (all []Marker) {
	if g == nil {
		return nil
	}
	for _, l := range commentLines(g) {
		text := strings.TrimSpace(l.text)
		rest, ok := strings.CutPrefix(text, "+")
		if !ok || rest == "" || !isNameByte(rest[0]) && !hasSpace(rest) {
			if n := len(all); n > 0 && text != "" {
				all[n-1].lines = append(all[n-1].lines, text)
			}
			continue
		}
		m := parseMarker(strings.TrimPrefix(rest, " "))
		if rest[0] == ' ' {
			m.Name, m.Spelled = rest[:1+len(m.Spelled)], rest[:1+len(m.Spelled)]
		}
		m.pos = l.pos + token.Pos(strings.Index(l.text, "+"))
		m.end = m.pos + token.Pos(1+len(rest))
		all = append(all, m)
	}
	return all
}

// hasSpace reports whether text is probably a marker with a space between the plus sign and the name, and
// not a sentence. checkSpelling then reports an unknown marker.
func hasSpace(text string) bool {
	name, isMarker := strings.CutPrefix(text, " ")
	name, _, hasValue := strings.Cut(name, "=")
	return isMarker && (hasValue || name == "immutable") && slices.Contains(unprefixedNames, name)
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// commentLine is a line of a comment without //, /* or */.
type commentLine struct {
	text string
	pos  token.Pos
}

func commentLines(g *ast.CommentGroup) (lines []commentLine) {
	for _, c := range g.List {
		text, at := c.Text[2:], c.Slash+2
		if strings.HasPrefix(c.Text, "/*") {
			text = strings.TrimSuffix(text, "*/")
		}
		for line := range strings.SplitAfterSeq(text, "\n") {
			lines = append(lines, commentLine{strings.TrimRight(line, "\r\n"), at})
			at += token.Pos(len(line))
		}
	}
	return lines
}

// parseMarker parses a marker without its plus sign.
func parseMarker(text string) Marker {
	if m, ok := eachTag(text); ok {
		return m
	}
	head := text
	m := Marker{text: text}
	if i := strings.IndexAny(text, "=( \t"); i >= 0 {
		head = text[:i]
		rest := strings.TrimLeft(text[i:], " \t")
		if value, ok := strings.CutPrefix(rest, "="); ok {
			head = strings.TrimSuffix(head, ":")
			m.Value, m.HasValue = strings.TrimSpace(value), true
		} else {
			m.Value = strings.TrimSpace(rest)
		}
	}
	if _, ok := known[head]; !ok {
		// Arguments may follow the name after a colon, as in kubebuilder:resource:path=x.
		for i := strings.LastIndexByte(head, ':'); i > 0; i = strings.LastIndexByte(head[:i], ':') {
			if k, ok := known[head[:i]]; ok && (k.form == arguments || k.form == link) {
				m.Value, m.HasValue = text[i+1:], true
				head = head[:i]
				break
			}
		}
	}
	if declarativeTag(head) {
		m.Value = withoutComment(m.Value)
	}
	m.Name, m.Spelled = head, head
	if k, ok := known[head]; ok && k.alias != "" {
		m.Name = k.alias
	}
	return m
}

// Find returns the first marker with the given name.
func Find(all []Marker, name string) (*Marker, bool) {
	if i := slices.IndexFunc(all, func(m Marker) bool { return m.Name == name }); i >= 0 {
		return &all[i], true
	}
	return nil, false
}

// Each returns all markers with the given name.
func Each(all []Marker, name string) (found []*Marker) {
	for i := range all {
		if all[i].Name == name {
			found = append(found, &all[i])
		}
	}
	return found
}

// Has reports whether one of the markers has the given name.
func Has(all []Marker, name string) bool {
	_, ok := Find(all, name)
	return ok
}

// docText returns the lines of a comment.
func docText(g *ast.CommentGroup) (lines []string) {
	if g == nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(g.Text(), "\n"), "\n")
}

// IsTagged reports whether one of the markers has the given spelling.
func IsTagged(all []Marker, spelled string) bool {
	return slices.ContainsFunc(all, func(m Marker) bool { return m.Spelled == spelled })
}

// form is the syntax of a marker's value.
type form int

const (
	// anything allows any text and does not check it.
	anything form = iota
	// nothing allows no value.
	nothing
	// json_ requires one line of JSON.
	json_
	// word requires text without quotes.
	word
	// choice requires one of the words in kind.words.
	choice
	// integer requires a nonnegative integer. number requires any number.
	integer
	number
	// boolean requires true or false.
	boolean
	// text_ requires a string, with or without quotes.
	text_
	// regular requires a regular expression, with or without quotes.
	regular
	// list requires a list of values, separated by semicolons or in braces.
	list
	// loose requires a value in the syntax of controller-gen.
	loose
	// arguments requires name=value pairs, separated by commas.
	arguments
	// link requires arguments with the names url and description.
	link
	// signed requires an integer in Go syntax.
	signed
	// tagArguments requires arguments of the form (name: value, name: value).
	tagArguments
)

// places is a set of kinds of declarations on which a marker is allowed.
type places int

const (
	onField places = 1 << iota
	onType
	onPackage
)

// kind describes a known marker: its value, and where it may be used.
type kind struct {
	form  form
	on    places
	words []string
	// alias is the name of another marker with the same meaning, or "".
	alias string
	// jsonTypes lists the JSON types of values for which the marker is allowed. Empty means all.
	jsonTypes []string
	// many is true if the marker may be repeated.
	many bool
}

// known maps the spelling of each known marker to its description. An unknown marker may belong
// to a different generator, so checkSpelling reports it only if it looks like a mistake.
var known = map[string]kind{
	"default":             {form: json_, on: onField | onType},
	"kubebuilder:default": {form: loose, on: onField, alias: "default"},
	"immutable":           {form: choice, on: onField, words: transitionWords()},
	typeImmutable:         {form: choice, on: onType, words: transitionWords()},

	"listType":                                      {form: choice, on: onField | onType, words: []string{"atomic", "set", "map"}, jsonTypes: []string{"array"}},
	"kubebuilder:validation:XListType":              {form: choice, on: onField | onType, alias: "listType", words: []string{"atomic", "set", "map"}, jsonTypes: []string{"array"}},
	"listMapKey":                                    {form: word, on: onField | onType, jsonTypes: []string{"array"}, many: true},
	"mapType":                                       {form: choice, on: onField | onType, words: []string{"atomic", "granular"}, jsonTypes: []string{"object"}},
	"structType":                                    {form: choice, on: onField | onType, words: []string{"atomic", "granular"}, jsonTypes: []string{"object"}},
	"optional":                                      {form: anything, on: onField},
	"kubebuilder:validation:Optional":               {form: nothing, on: onField | onPackage, alias: "optional"},
	"required":                                      {form: anything, on: onField},
	"kubebuilder:validation:Required":               {form: nothing, on: onField | onPackage, alias: "required"},
	"nullable":                                      {form: nothing, on: onField},
	"kubebuilder:validation:Nullable":               {form: nothing, on: onField, alias: "nullable"},
	"enum":                                          {form: anything, on: onType, jsonTypes: []string{"string"}},
	"patchStrategy":                                 {form: word, on: onField},
	"patchMergeKey":                                 {form: word, on: onField},
	"k8s:openapi-gen":                               {form: anything, on: onField | onType | onPackage},
	"k8s:defaulter-gen":                             {form: anything, on: onType | onPackage},
	"k8s:defaulter-gen-input":                       {form: word, on: onPackage, many: true},
	"k8s:openapi-model-package":                     {form: word, on: onType | onPackage},
	"union":                                         {form: anything, on: onType},
	"unionDiscriminator":                            {form: nothing, on: onField},
	"unionMember":                                   {form: anything, on: onField},
	"groupName":                                     {form: anything, on: onPackage},
	"versionName":                                   {form: word, on: onPackage | onType},
	"kubebuilder:skip":                              {form: nothing, on: onPackage | onType},
	"kubebuilder:object:root":                       {form: anything, on: onType},
	"kubebuilder:resource":                          {form: arguments, on: onType},
	"kubebuilder:subresource:status":                {form: nothing, on: onType},
	"kubebuilder:subresource:scale":                 {form: arguments, on: onType},
	"kubebuilder:printcolumn":                       {form: arguments, on: onType, many: true},
	"kubebuilder:storageversion":                    {form: nothing, on: onType},
	"kubebuilder:unservedversion":                   {form: nothing, on: onType},
	"kubebuilder:deprecatedversion":                 {form: arguments, on: onType},
	"kubebuilder:skipversion":                       {form: nothing, on: onType},
	"kubebuilder:metadata":                          {form: arguments, on: onType, many: true},
	"kubebuilder:selectablefield":                   {form: arguments, on: onType, many: true},
	"kubebuilder:validation:XValidation":            {form: arguments, on: onField | onType, many: true},
	"kubebuilder:title":                             {form: loose, on: onField | onType},
	"kubebuilder:example":                           {form: loose, on: onField},
	"kubebuilder:externalDocs":                      {form: link, on: onField | onType},
	"kubebuilder:validation:Schemaless":             {form: nothing, on: onField},
	"kubebuilder:validation:Enum":                   {form: list, on: onField | onType},
	"kubebuilder:validation:Format":                 {form: text_, on: onField | onType},
	"kubebuilder:validation:Type":                   {form: text_, on: onField | onType},
	"kubebuilder:validation:Pattern":                {form: regular, on: onField | onType, jsonTypes: []string{"string"}},
	"kubebuilder:validation:Minimum":                {form: number, on: onField | onType, jsonTypes: []string{"integer", "number"}},
	"kubebuilder:validation:Maximum":                {form: number, on: onField | onType, jsonTypes: []string{"integer", "number"}},
	"kubebuilder:validation:ExclusiveMinimum":       {form: boolean, on: onField | onType, jsonTypes: []string{"integer", "number"}},
	"kubebuilder:validation:ExclusiveMaximum":       {form: boolean, on: onField | onType, jsonTypes: []string{"integer", "number"}},
	"kubebuilder:validation:MultipleOf":             {form: number, on: onField | onType, jsonTypes: []string{"integer", "number"}},
	"kubebuilder:validation:MinLength":              {form: integer, on: onField | onType, jsonTypes: []string{"string"}},
	"kubebuilder:validation:MaxLength":              {form: integer, on: onField | onType, jsonTypes: []string{"string"}},
	"kubebuilder:validation:MinItems":               {form: integer, on: onField | onType, jsonTypes: []string{"array"}},
	"kubebuilder:validation:MaxItems":               {form: integer, on: onField | onType, jsonTypes: []string{"array"}},
	"kubebuilder:validation:UniqueItems":            {form: boolean, on: onField | onType, jsonTypes: []string{"array"}},
	"kubebuilder:validation:MinProperties":          {form: integer, on: onField | onType, jsonTypes: []string{"object"}},
	"kubebuilder:validation:MaxProperties":          {form: integer, on: onField | onType, jsonTypes: []string{"object"}},
	"kubebuilder:pruning:PreserveUnknownFields":     {form: nothing, on: onField | onType},
	"kubebuilder:validation:XPreserveUnknownFields": {form: nothing, on: onField | onType, alias: "kubebuilder:pruning:PreserveUnknownFields"},
	"kubebuilder:validation:EmbeddedResource":       {form: nothing, on: onField},
	"kubebuilder:validation:XEmbeddedResource":      {form: nothing, on: onField | onType, alias: "kubebuilder:validation:EmbeddedResource"},
	"kubebuilder:validation:XIntOrString":           {form: nothing, on: onField | onType},
	"kubebuilder:validation:AtMostOneOf":            {form: list, on: onType, many: true},
	"kubebuilder:validation:ExactlyOneOf":           {form: list, on: onType, many: true},
	"kubebuilder:validation:AtLeastOneOf":           {form: list, on: onType, many: true},
}

// ItemsPrefix is the prefix of markers that apply to the items of a list.
const ItemsPrefix = "kubebuilder:validation:items:"

func init() {
	const prefix = "kubebuilder:validation:"
	items := map[string]kind{}
	for name, k := range known {
		rest, ok := strings.CutPrefix(name, prefix)
		if ok && k.on&onField != 0 && rest != "Schemaless" && (k.alias == "" || strings.HasPrefix(k.alias, "kubebuilder:")) {
			k.alias = ""
			items[ItemsPrefix+rest] = k
		}
	}
	maps.Copy(known, items)
}

// foreign lists markers of controller-gen, kubebuilder and Istio that this package ignores, with
// or without arguments after a colon.
var foreign = []string{
	"kubebuilder:ac:generate",
	"kubebuilder:ac:output:package",
	"kubebuilder:altName",
	"kubebuilder:docs-gen",
	"kubebuilder:object:generate",
	"kubebuilder:rbac",
	"kubebuilder:scaffold",
	"kubebuilder:webhook",
	"kubebuilder:webhookconfiguration",
}
