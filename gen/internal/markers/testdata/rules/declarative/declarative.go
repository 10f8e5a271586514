// Package declarative has tags of declarative validation.
package declarative

// +k8s:enum
type Colour string

const (
	Red  Colour = "red"
	Blue Colour = "blue"
	// Grey is excluded.
	// +k8s:enumExclude
	Grey Colour = "grey"
)

type Item struct {
	Name string `json:"name"`
	Zone string `json:"zone"`
}

type Good struct {
	// +k8s:listType=map
	// +k8s:listMapKey=name
	// +k8s:listMapKey=zone
	// +listType=map
	// +listMapKey=zone
	// +listMapKey=name
	// +k8s:minItems=1
	// +k8s:maxItems=16 # sixteen is enough
	// +kubebuilder:validation:MaxItems=16
	// +k8s:update=NoAddItem
	// +k8s:update=NoRemoveItem
	// +immutable=keys
	Items []Item `json:"items"`
	// +k8s:listType=set
	// +k8s:eachVal=+k8s:maxLength=63
	// +k8s:update=NoRemoveItem
	// +k8s:update=NoUnset
	Names []string `json:"names"`
	// +k8s:minLength=1
	// +k8s:maxLength=63
	// +k8s:update=NoModify
	// +k8s:update=NoUnset
	// +k8s:required
	// +required
	// +k8s:beta(since: "1.36")=+k8s:required
	// +k8s:beta(since: "1.36")=+k8s:maxLength=63
	Name string `json:"name"`
	// +k8s:minimum=-5
	// +k8s:maximum=0x10
	// +k8s:optional
	Level int `json:"level,omitempty"`
	// +k8s:minProperties=1
	// +k8s:maxProperties=3
	// +k8s:eachVal=+k8s:minimum=1
	// +k8s:update=NoAddItem
	Weights map[string]int `json:"weights"`
	// +k8s:update=NoModify
	Whole Item `json:"whole"`
	// +kubebuilder:default=red
	// +default=ref(Red)
	Colour Colour `json:"colour,omitempty"`
}

type GoodUnion struct {
	// +k8s:unionDiscriminator
	Kind string `json:"kind"`
	// +k8s:unionMember
	A *Item `json:"a,omitempty"`
	// +k8s:unionMember(memberName: "Bee")
	B *Item `json:"b,omitempty"`
	// +k8s:unionMember(union: "other")
	C *Item `json:"c,omitempty"`
	// +k8s:unionMember(union: "other", memberName: "D")
	E *Item `json:"e,omitempty"`
	// F is not a member of a union.
	F string `json:"f"`
}

// +union
type GoodTwice struct {
	// +k8s:unionDiscriminator
	// +unionDiscriminator
	Kind string `json:"kind"`
	// +k8s:unionMember
	A *Item `json:"a,omitempty"`
	// +k8s:unionMember(memberName: "Bee")
	// +unionMember=Bee
	B *Item `json:"b,omitempty"`
}

type Contradicts struct {
	// +listType=atomic
	// +k8s:listType=set
	Type []string `json:"type"`
	// +listType=map
	// +listMapKey=name
	// +k8s:listMapKey=zone
	Keys []Item `json:"keys"`
	// +kubebuilder:validation:MaxItems=3
	// +k8s:maxItems=4
	Bound []string `json:"bound"`
	// +k8s:optional
	// +required
	Optional string `json:"optional,omitempty"`
	// +immutable
	// +k8s:update=NoModify
	// +k8s:update=NoUnset
	Once string `json:"once"`
	// +immutable=keys
	// +k8s:immutable
	Immutable map[string]string `json:"immutable"`
	// +k8s:maxLength=3
	// +default="long"
	Default string `json:"default,omitempty"`
	// +kubebuilder:default=blue
	// +default=ref(Red)
	Twice Colour `json:"twice,omitempty"`
	// +default="grey"
	Colour Colour `json:"colour,omitempty"`
	// +k8s:eachVal=+k8s:maximum=3
	// +default={"a":4}
	Each map[string]int `json:"each"`
}

type Bad struct {
	// +k8s:listType=bag
	Type []string `json:"type"`
	// +k8s:maxItems=-1
	Items []string `json:"items"`
	// +k8s:maximum=much
	Number int `json:"number"`
	// +k8s:maxItems=3
	Place string `json:"place"`
	// +k8s:eachVal=+k8s:maxLength=3
	Each string `json:"each"`
	// +k8s:update=Never
	Update string `json:"update"`
	// +k8s:update=NoAddItem
	// +k8s:update=NoRemoveItem
	NoKeys []string `json:"noKeys"`
	// +k8s:listMapKey=name
	NoType []Item `json:"noType"`
	// +k8s:listType=map
	// +k8s:listMapKey=nmae
	Key []Item `json:"key"`
	// +k8s:enum
	Kind string `json:"kind"`
	// +k8s:maxItens=3
	Misspelt []string `json:"misspelt"`
	// +k8s:immutable=keys
	Immutable map[string]string `json:"immutable"`
	// +k8s:update=NoModify
	Item `json:",inline"`
}

type Untold struct {
	// +k8s:format=k8s-uuid
	Format string `json:"format"`
	// +k8s:maxBytes=3
	Bytes string `json:"bytes"`
	// +k8s:beta(since: "1.36")=+k8s:maxItems=3
	Level []string `json:"level"`
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=3
	// +k8s:maxItems=4
	Other []string `json:"other"`
	// +k8s:ifEnabled("Feature")=+k8s:required
	Feature string `json:"feature"`
	// +k8s:subfield(name)=+k8s:optional
	Subfield Item `json:"subfield"`
	// +k8s:eachKey=+k8s:format=k8s-short-name
	// +k8s:eachVal=+k8s:format=k8s-short-name
	Both map[string]string `json:"both"`
	// +k8s:update=NoModify
	Modify string `json:"modify"`
	// +k8s:update=NoSet
	// +k8s:update=NoUnset
	SetUnset string `json:"setUnset"`
	// +k8s:listType=atomic
	// +k8s:unique=set
	Unique []string `json:"unique"`
	// +k8s:opaqueType
	Opaque Item `json:"opaque"`
	// +k8s:tomorrow
	Tomorrow string `json:"tomorrow"`
}

// +k8s:enum
// +kubebuilder:validation:Enum=a;c
type Letter string

const (
	A Letter = "a"
	B Letter = "b"
	// +k8s:ifDisabled(Sea)=+k8s:enumExclude
	C Letter = "c"
)

// +k8s:enum
type None string

type BadUnion struct {
	// +k8s:unionDiscriminator
	Kind string `json:"kind"`
	// +k8s:unionDiscriminator
	Other string `json:"other"`
	// +k8s:unionMember
	// +required
	A *Item `json:"a,omitempty"`
	// +k8s:unionMember(memberName: "A")
	B *Item `json:"b,omitempty"`
	// +k8s:unionMember(name: "A")
	C *Item `json:"c,omitempty"`
	// +k8s:unionMember=A
	D *Item `json:"d,omitempty"`
	// +k8s:unionDiscriminator(union: "lonely")
	Lonely string `json:"lonely"`
}

// +union
type TwoUnions struct {
	// +k8s:unionDiscriminator
	// +unionDiscriminator
	Kind string `json:"kind"`
	// +k8s:unionMember
	A *Item `json:"a,omitempty"`
	B *Item `json:"b,omitempty"`
}

type Empty struct {
	// +k8s:required
	Number int32 `json:"number"`
	// +k8s:required
	Flag bool `json:"flag"`
	// +k8s:required
	// +k8s:minimum=1
	Positive int32 `json:"positive"`
	// +k8s:required
	// +kubebuilder:validation:Maximum=-0.5
	Negative float64 `json:"negative"`
	// +k8s:required
	Pointer *bool `json:"pointer"`
}

// +enum
// +k8s:enum
// +kubebuilder:validation:Enum=d
type Twice string

const (
	D Twice = "d"
	E Twice = "e"
)
