// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package kinds has fields of every kind of Go type, with and without defaults.
//
// +k8s:defaulter-gen=true
// +k8s:openapi-gen=true
package kinds

import (
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Every has a field of every kind of Go type.
type Every struct {
	Embedded  `json:",inline"`
	*Pointed  `json:",inline"`
	AsField   `json:"asField"`
	unseen    string
	Skipped   string `json:"-"`
	DashNamed string `json:"-,omitempty"`

	// +default=true
	Flag bool `json:"flag,omitempty"`
	// +default=-7
	Small int8 `json:"small,omitempty"`
	// +default=18446744073709551615
	Huge uint64 `json:"huge,omitempty"`
	// +default=1.5
	Ratio float32 `json:"ratio,omitempty"`
	// +default="quote\"d\n"
	Text Text `json:"text,omitempty"`
	// +default=8
	Pointer *Number `json:"pointer,omitempty"`
	// +default="deep"
	Deep **string `json:"deep,omitempty"`
	// +default="aGVsbG8="
	Bytes []byte `json:"bytes,omitempty"`
	// +default=[1,2]
	Pair *[2]byte `json:"pair,omitempty"`
	// +default=[[1],[]]
	Nested [][]int `json:"nested,omitempty"`
	// +default={"a":{"name":"x"},"b":{}}
	Named map[string]Inner `json:"named,omitempty"`
	// +default={"1":"one"}
	Numbered map[int32]string `json:"numbered,omitempty"`
	// +default={"x":{"name":"p"}}
	Pointers map[string]*Inner `json:"pointers,omitempty"`
	// +default=[{"name":"a"},null]
	Items []*Inner `json:"items,omitempty"`
	// +default={"any":[1,2.5,{"thing":true}]}
	Any any `json:"any,omitempty"`
	// +default={"first":"f","inner":{"count":3}}
	Anonymous *struct {
		First string `json:"first,omitempty"`
		Inner Inner  `json:"inner"`
	} `json:"anonymous,omitempty"`
	Plain struct {
		// +default="inside"
		Inside string `json:"inside,omitempty"`
	} `json:"plain"`

	Texts     []Text          `json:"texts,omitempty"`
	TextMap   map[string]Text `json:"textMap,omitempty"`
	Inners    []Inner         `json:"inners,omitempty"`
	InnerMap  map[Text]Inner  `json:"innerMap,omitempty"`
	Array     [2]Inner        `json:"array"`
	Box       Box[Inner]      `json:"box"`
	Boxes     []Box[string]   `json:"boxes,omitempty"`
	List      Inners          `json:"list,omitempty"`
	Alias     Alias           `json:"alias,omitempty"`
	Recursive *Recursive      `json:"recursive,omitempty"`

	// +default="1h0m0s"
	Duration *metav1.Duration `json:"duration,omitempty"`
	// +default="2020-01-02T03:04:05Z"
	Time *metav1.Time `json:"time,omitempty"`
	// +default="2020-01-02T03:04:05Z"
	Std *time.Time `json:"std,omitempty"`
	// +default="10m"
	Quantity *resource.Quantity `json:"quantity,omitempty"`
	// +default={"cpu":"1","memory":"1Gi"}
	Quantities map[string]resource.Quantity `json:"quantities,omitempty"`
	// +default="http"
	Port *intstr.IntOrString `json:"port,omitempty"`
	// +default=80
	OtherPort intstr.IntOrString `json:"otherPort,omitzero"`
	// +default={"kind":"X"}
	Raw *runtime.RawExtension `json:"raw,omitempty"`
	// +default={"a":1}
	JSON json.RawMessage `json:"json,omitempty"`
	// +default="zero"
	OmitZero string `json:"omitZero,omitzero"`
}

// Embedded is embedded in a struct, so its fields belong to that struct.
type Embedded struct {
	// +default="embedded"
	InEmbedded string `json:"inEmbedded,omitempty"`
	// Flag is hidden by a field with the same name in the outer struct.
	// +default=false
	Flag bool `json:"flag,omitempty"`
}

// Pointed is embedded by pointer, and created if it is nil.
type Pointed struct {
	// +default="pointed"
	InPointed string `json:"inPointed,omitempty"`
	Inner     Inner  `json:"innerOfPointed"`
}

// AsField is embedded, but has a name in JSON.
type AsField struct {
	// +default="field"
	InField string `json:"inField,omitempty"`
}

type Text string

type Number int64

type Alias = Text

// Inner is the type of many fields.
type Inner struct {
	// +default="inner"
	Name string `json:"name,omitempty"`
	// +default=1
	Count *int32 `json:"count,omitempty"`
}

type Inners []Inner

// Box is a generic type.
type Box[T any] struct {
	// +default=2
	Size  int `json:"size,omitempty"`
	Value T   `json:"value"`
	More  []T `json:"more,omitempty"`
}

// Recursive contains itself.
type Recursive struct {
	// +default="round"
	Name string                `json:"name,omitempty"`
	Next *Recursive            `json:"next,omitempty"`
	Many []Recursive           `json:"many,omitempty"`
	Map  map[string]*Recursive `json:"map,omitempty"`
}

// Quoted has scalars with the JSON option string. Typed values of structured-merge-diff and of
// Dovetail ignore this option.
type Quoted struct {
	// +default="5"
	Quoted int `json:"quoted,omitempty,string"`
	// +default="false"
	QuotedFlag *bool `json:"quotedFlag,omitempty,string"`
	// +default="text"
	Text string `json:"text,omitempty"`
}

// Named has named pointer types, some of which contain others.
type Named struct {
	// +default="a"
	One TextPointer `json:"one,omitempty"`
	// +default="b"
	Two *TextPointer `json:"two,omitempty"`
	// +default={"name":"c"}
	Struct InnerPointer `json:"struct,omitempty"`
	Other  InnerPointer `json:"other,omitempty"`
	// Fruit gets its default from its type.
	Fruit FruitPointer `json:"fruit,omitempty"`
}

type TextPointer *Text

type InnerPointer *Inner

// +default="apple"
type FruitPointer *string
