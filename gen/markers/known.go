// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"maps"
	"strings"
)

// form is what a marker's value is.
type form int

const (
	// anything is not looked at.
	anything form = iota
	// nothing: the marker has no value.
	nothing
	// json is one line of JSON.
	json_
	// word is text without quotes.
	word
	// choice is one of a few words.
	choice
	// integer and number are numbers.
	integer
	number
	// boolean is true or false.
	boolean
	// text may be in quotes.
	text_
	// regular is text that is a regular expression.
	regular
	// list is a list of values, with semicolons or in braces.
	list
	// loose is controller-gen's syntax for any value.
	loose
	// arguments are name=value pairs, with commas.
	arguments
)

// places where a marker may be.
type places int

const (
	onField places = 1 << iota
	onType
	onPackage
)

// kind is what is known of a marker.
type kind struct {
	form  form
	on    places
	words []string
	// as is the name of the marker that means the same.
	as string
	// of are the kinds of values that it may be on, in JSON's words; none means
	// all.
	of []string
	// many markers of the name may stand together.
	many bool
}

// known are the markers that are read, by their spelling. Others are left to
// other generators, see checkSpelling.
var known = map[string]kind{
	"default":             {form: json_, on: onField | onType},
	"kubebuilder:default": {form: loose, on: onField | onType, as: "default"},
	"immutable":           {form: choice, on: onField, words: transitionWords()},
	"k8s:immutable":       {form: nothing, on: onField, as: "immutable"},

	"listType":                                      {form: choice, on: onField | onType, words: []string{"atomic", "set", "map"}, of: []string{"array"}},
	"kubebuilder:validation:XListType":              {form: choice, on: onField | onType, as: "listType", words: []string{"atomic", "set", "map"}, of: []string{"array"}},
	"listMapKey":                                    {form: word, on: onField | onType, of: []string{"array"}, many: true},
	"mapType":                                       {form: choice, on: onField | onType, words: []string{"atomic", "granular"}, of: []string{"object"}},
	"structType":                                    {form: choice, on: onField | onType, words: []string{"atomic", "granular"}, of: []string{"object"}},
	"optional":                                      {form: anything, on: onField},
	"k8s:optional":                                  {form: anything, on: onField, as: "optional"},
	"kubebuilder:validation:Optional":               {form: nothing, on: onField | onPackage, as: "optional"},
	"required":                                      {form: anything, on: onField},
	"k8s:required":                                  {form: anything, on: onField, as: "required"},
	"kubebuilder:validation:Required":               {form: nothing, on: onField | onPackage, as: "required"},
	"nullable":                                      {form: nothing, on: onField},
	"kubebuilder:validation:Nullable":               {form: nothing, on: onField, as: "nullable"},
	"enum":                                          {form: anything, on: onType, of: []string{"string"}},
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
	"kubebuilder:validation:Schemaless":             {form: nothing, on: onField},
	"kubebuilder:validation:Enum":                   {form: list, on: onField | onType},
	"kubebuilder:validation:Format":                 {form: text_, on: onField | onType},
	"kubebuilder:validation:Type":                   {form: text_, on: onField | onType},
	"kubebuilder:validation:Pattern":                {form: regular, on: onField | onType, of: []string{"string"}},
	"kubebuilder:validation:Minimum":                {form: number, on: onField | onType, of: []string{"integer", "number"}},
	"kubebuilder:validation:Maximum":                {form: number, on: onField | onType, of: []string{"integer", "number"}},
	"kubebuilder:validation:ExclusiveMinimum":       {form: boolean, on: onField | onType, of: []string{"integer", "number"}},
	"kubebuilder:validation:ExclusiveMaximum":       {form: boolean, on: onField | onType, of: []string{"integer", "number"}},
	"kubebuilder:validation:MultipleOf":             {form: number, on: onField | onType, of: []string{"integer", "number"}},
	"kubebuilder:validation:MinLength":              {form: integer, on: onField | onType, of: []string{"string"}},
	"kubebuilder:validation:MaxLength":              {form: integer, on: onField | onType, of: []string{"string"}},
	"kubebuilder:validation:MinItems":               {form: integer, on: onField | onType, of: []string{"array"}},
	"kubebuilder:validation:MaxItems":               {form: integer, on: onField | onType, of: []string{"array"}},
	"kubebuilder:validation:UniqueItems":            {form: boolean, on: onField | onType, of: []string{"array"}},
	"kubebuilder:validation:MinProperties":          {form: integer, on: onField | onType, of: []string{"object"}},
	"kubebuilder:validation:MaxProperties":          {form: integer, on: onField | onType, of: []string{"object"}},
	"kubebuilder:pruning:PreserveUnknownFields":     {form: nothing, on: onField | onType},
	"kubebuilder:validation:XPreserveUnknownFields": {form: nothing, on: onField | onType, as: "kubebuilder:pruning:PreserveUnknownFields"},
	"kubebuilder:validation:EmbeddedResource":       {form: nothing, on: onField | onType},
	"kubebuilder:validation:XEmbeddedResource":      {form: nothing, on: onField | onType, as: "kubebuilder:validation:EmbeddedResource"},
	"kubebuilder:validation:XIntOrString":           {form: nothing, on: onField | onType},
	"kubebuilder:validation:AtMostOneOf":            {form: list, on: onType, many: true},
	"kubebuilder:validation:ExactlyOneOf":           {form: list, on: onType, many: true},
	"kubebuilder:validation:AtLeastOneOf":           {form: list, on: onType, many: true},
}

// ItemsPrefix begins the markers that are of the items of a list.
const ItemsPrefix = "kubebuilder:validation:items:"

func init() {
	const prefix = "kubebuilder:validation:"
	items := map[string]kind{}
	for name, k := range known {
		rest, ok := strings.CutPrefix(name, prefix)
		if ok && k.on&onField != 0 && rest != "Schemaless" && (k.as == "" || strings.HasPrefix(k.as, "kubebuilder:")) {
			k.as = ""
			items[ItemsPrefix+rest] = k
		}
	}
	maps.Copy(known, items)
}

// foreign are the markers of controller-gen, kubebuilder and Istio that are left to
// them. A colon behind them begins their arguments, or what kubebuilder puts in.
var foreign = []string{
	"kubebuilder:ac:generate",
	"kubebuilder:ac:output:package",
	"kubebuilder:altName",
	"kubebuilder:docs-gen",
	"kubebuilder:externalDocs",
	"kubebuilder:object:generate",
	"kubebuilder:rbac",
	"kubebuilder:scaffold",
	"kubebuilder:webhook",
	"kubebuilder:webhookconfiguration",
}
