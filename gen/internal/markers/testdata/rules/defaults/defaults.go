// Package defaults has valid and invalid defaults.
package defaults

import "time"

const (
	Protocol = "TCP"
	Port     = 80
	Ratio    = 0.5
	Big      = 300
	Timeout  = time.Second
)

var notConst = "x"

// Good has no findings.
type Good struct {
	// +default=32
	Integer int `json:"integer,omitempty"`
	// +default="bar"
	String string `json:"string,omitempty"`
	// +default=["popcorn", "chips"]
	StringList []string `json:"stringList"`
	// +default=[{"port": 80, "name": "http"}]
	Ports []Item `json:"ports"`
	// +default=ref(Protocol)
	Protocol string `json:"protocol,omitempty"`
	// +default=ref(github.com/dovetail-ssa/dovetail/gen/internal/markers/testdata/rules/defaults.Port)
	Port *int32 `json:"port"`
	// +default=ref(time.Second)
	Timeout time.Duration `json:"timeout,omitempty"`
	// +default=0
	Zero int `json:"zero"`
	// +default="aGVsbG8="
	Bytes []byte `json:"bytes"`
	// +default=[1,2]
	Pair [2]byte `json:"pair"`
	// +default={"a":{"port":1}}
	Named map[string]Item `json:"named"`
	// +default={"any":[1,null,{"thing":true}]}
	Any any `json:"any"`
	// +default="8"
	Quoted int `json:"quoted,omitempty,string"`
	// +default=18446744073709551615
	Huge uint64 `json:"huge,omitempty"`
	// +default={}
	Struct Item `json:"struct"`
	// +default=1.5
	// +kubebuilder:default=1.5
	Twice float64 `json:"twice,omitempty"`
	// +default={"2":"b"}
	Numbered map[int]string `json:"numbered,omitempty"`
	//+kubebuilder:default:={a, b}
	Loose []string `json:"loose,omitempty"`
	// +kubebuilder:default={port: 80, name: "a, b"}
	LooseObject *Item `json:"looseObject,omitempty"`
	// +default=2
	Alias Alias `json:"alias,omitempty"`
	// +default="x"
	OmitZero string `json:"omitZero,omitzero"`
}

type Alias = int

// Item is used by the other types.
type Item struct {
	Port int32  `json:"port"`
	Name string `json:"name,omitempty"`
}

// Bad has one mistake in each field.
type Bad struct {
	// +default=bar
	Unquoted string `json:"unquoted,omitempty"`
	// +default='bar'
	Single string `json:"single,omitempty"`
	// +default={
	//   "port": 80
	// }
	Lines *Item `json:"lines,omitempty"`
	// +default="bar" as usual
	Trailing string `json:"trailing,omitempty"`
	// +default
	Nothing string `json:"nothing,omitempty"`
	// +default=
	Empty string `json:"empty,omitempty"`
	// +default=null
	Null *string `json:"null,omitempty"`
	// +default="a"
	// +default="b"
	Twice string `json:"twice,omitempty"`
	// +default="a"
	// +kubebuilder:default="b"
	TwoSpellings string `json:"twoSpellings,omitempty"`
	// +default=80
	NoString string `json:"noString,omitempty"`
	// +default="80"
	NoInteger int `json:"noInteger,omitempty"`
	// +default=80.0
	Point int `json:"point,omitempty"`
	// +default=300
	TooBig int8 `json:"tooBig,omitempty"`
	// +default=-1
	Negative uint `json:"negative,omitempty"`
	// +default="true"
	NoBool bool `json:"noBool,omitempty"`
	// +default={"prot": 80}
	UnknownField *Item `json:"unknownField,omitempty"`
	// +default=[{"port": "80"}]
	Deep []Item `json:"deep,omitempty"`
	// +default={"a": 1, "a": 2}
	TwiceInside map[string]int `json:"twiceInside,omitempty"`
	// +default="no base64!"
	Bytes []byte `json:"bytes,omitempty"`
	// +default=[1,2,3]
	Pair [2]byte `json:"pair,omitempty"`
	// +default=ref(Protocl)
	NoConst string `json:"noConst,omitempty"`
	// +default=ref(notConst)
	Variable string `json:"variable,omitempty"`
	// +default=ref(Big)
	BigConst int8 `json:"bigConst,omitempty"`
	// +default=ref(elsewhere.Const)
	NoPackage string `json:"noPackage,omitempty"`
	// +default=8
	Quoted int `json:"quoted,omitempty,string"`
	// +default={"x": 1}
	Keys map[int]int `json:"keys,omitempty"`
	// +default=[1
	Cut []int `json:"cut,omitempty"`
	// +defaut="typo"
	Typo string `json:"typo,omitempty"`
	// +kubebuilder:default={a
	Loose []string `json:"loose,omitempty"`
	// +default="d"
	// +kubebuilder:validation:Enum=a;b;c
	NoEnum string `json:"noEnum,omitempty"`
	// +default=11
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	TooLarge int `json:"tooLarge,omitempty"`
	// +default="UPPER"
	// +kubebuilder:validation:Pattern=`^[a-z]+$`
	// +kubebuilder:validation:MaxLength=3
	NoMatch string `json:"noMatch,omitempty"`
}

// Nested has defaults with invalid inner values.
type Nested struct {
	// +default=[{"level":"loud"},{"level":"low","names":["a","toolong"]}]
	List []Checked `json:"list,omitempty"`
	// +default={"x":{"level":"low"}}
	Named map[string]*Checked `json:"named,omitempty"`
	// +default={"level":"low","must":"m","names":["abc"]}
	Fine *Checked `json:"fine,omitempty"`
}

type Checked struct {
	Level Level `json:"level,omitempty"`
	// +kubebuilder:validation:items:MaxLength=3
	Names []string `json:"names,omitempty"`
	// +required
	Must *string `json:"must"`
}

// +kubebuilder:validation:Enum=low;high
type Level string

// +default="apple"
type Fruit string

// +default=1
type NoFruit string

// Fruits gets its defaults from the type of its fields.
type Fruits struct {
	List  []Fruit          `json:"list"`
	Named map[string]Fruit `json:"named"`
	One   Fruit            `json:"one,omitempty"`
	// +default="pear"
	Own    Fruit  `json:"own,omitempty"`
	Always Fruit  `json:"always"`
	Point  *Fruit `json:"point"`
}

// Separators has lists with the wrong brackets or separators.
type Separators struct {
	// +default={"a","b"}
	Braces []string `json:"braces,omitempty"`
	// +default={"a"}
	One []string `json:"one,omitempty"`
	// +kubebuilder:default={"a","b"}
	GoodLoose []string `json:"loose,omitempty"`
	// +kubebuilder:validation:Enum=Fast,Slow
	// +default="Fast"
	Comma string `json:"comma,omitempty"`
}

// +default=three
type Unreadable string

// ReportedOnce has a type whose default is reported at the type.
type ReportedOnce struct {
	Once Unreadable `json:"once,omitempty"`
}
