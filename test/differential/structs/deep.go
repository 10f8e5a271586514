// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package structs

import "fmt"

// Outer embeds structs at several levels. The embedded structs have their fields at different
// indexes.
type Outer struct {
	Zero   string `json:"zero"`
	Level1 `json:",inline"`
}

// Level1 is embedded in Outer.
type Level1 struct {
	One    string `json:"one"`
	Two    string `json:"two"`
	Level2 `json:",inline"`
	Level3 `json:",inline"`
}

// Level2 is embedded in Level1.
type Level2 struct {
	Three string `json:"three"`
	Lowest
}

// Level3 is embedded in Level1, next to Level2.
type Level3 struct {
	Four string `json:"four"`
	Deep
}

// Lowest is embedded in Level2.
type Lowest struct {
	Pad  string `json:"pad"`
	Last string `json:"last"`
}

// Deep is embedded in Level3.
type Deep struct {
	Five string `json:"five"`
	Six  string `json:"six"`
}

// NewDeep returns a struct with three levels of embedding.
func NewDeep(n int) *Outer {
	out := &Outer{}
	for i, p := range []*string{&out.Zero, &out.One, &out.Two, &out.Three, &out.Four, &out.Five, &out.Six, &out.Pad, &out.Last} {
		*p = fmt.Sprint(i, " of ", n)
	}
	return out
}

// Marshaler is an interface that may be nil.
type Marshaler interface{ MarshalJSON() ([]byte, error) }

// Holder has fields whose types are interfaces with MarshalJSON.
type Holder struct {
	Name string               `json:"name"`
	Any  Marshaler            `json:"any"`
	List []Marshaler          `json:"list,omitempty"`
	Map  map[string]Marshaler `json:"map,omitempty"`
}

// NewHolder returns a Holder in which some interfaces are nil.
func NewHolder(n int) *Holder {
	may := func(bit int) Marshaler {
		if n>>bit&1 == 0 {
			return nil
		}
		return Amount{text: fmt.Sprint(n)}
	}
	return &Holder{Name: fmt.Sprint(n), Any: may(0), List: []Marshaler{may(1), may(2)}, Map: map[string]Marshaler{"a": may(3)}}
}
