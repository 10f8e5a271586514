// Package shapes has types that cannot be represented in JSON, and recursive types.
package shapes

type Shapes struct {
	Chan    chan int         `json:"chan"`
	Func    func()           `json:"func"`
	Complex complex64        `json:"complex"`
	Keys    map[Key]string   `json:"keys"`
	Texts   map[Text]string  `json:"texts"`
	Ints    map[int32]string `json:"ints"`
	Self    *Shapes          `json:"self,omitempty"`
	// +default={"self":{}}
	Nested *Nested `json:"nested,omitempty"`
	// +default="x"
	Text *Text `json:"text,omitempty"`
	// +default=5
	NoText *Text `json:"noText,omitempty"`
}

type Nested struct {
	Self  *Nested  `json:"self,omitempty"`
	Value *Endless `json:"value,omitempty"`
}

type Key struct{ A int }

type Text struct{ a string }

func (t Text) MarshalText() ([]byte, error)     { return []byte(t.a), nil }
func (t *Text) UnmarshalText(text []byte) error { t.a = string(text); return nil }

// Endless has a default that contains itself.
type Endless struct {
	// +default={}
	Next *Endless `json:"next,omitempty"`
}

// Round contains itself in two steps.
type Round struct {
	// +default=[{}]
	Others []Other `json:"others,omitempty"`
}

type Other struct {
	// +default={"name":"x"}
	Round *Round2 `json:"round,omitempty"`
}

type Round2 struct {
	Name string `json:"name"`
	Back Round  `json:"back"`
}

// Wide has too many defaults.
type Wide struct {
	// +default=[{},{},{},{},{},{},{},{},{},{}]
	A []Wide1 `json:"a,omitempty"`
}

type Wide1 struct {
	// +default=[{},{},{},{},{},{},{},{},{},{}]
	A []Wide2 `json:"a,omitempty"`
}

type Wide2 struct {
	// +default=[{},{},{},{},{},{},{},{},{},{}]
	A []Wide3 `json:"a,omitempty"`
}

type Wide3 struct {
	// +default=[{},{},{},{},{},{},{},{},{},{}]
	A []Wide4 `json:"a,omitempty"`
}

type Wide4 struct {
	// +default=[{},{},{},{},{},{},{},{},{},{}]
	A []Wide5 `json:"a,omitempty"`
}

type Wide5 struct {
	// +default="x"
	A string `json:"a,omitempty"`
}

// Loop is a list of itself. Loops contains itself through a map in two steps.
type Loop []Loop

type Loops map[string]*Loops2

type Loops2 []Loops

// Ring is a pointer to itself.
type Ring *Ring

type Rings struct {
	Ring Ring `json:"ring"`
	// +default="x"
	Default Ring `json:"default,omitempty"`
}
