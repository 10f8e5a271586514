// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import "slices"

// A span is x[low:high], or y[low:high] in a union of x and y. Operations note
// as spans what they keep of their operands, and copy it once its size is
// known. Most keep nearly everything or nearly nothing, so there are few.
type span struct {
	low, high int32
	fromY     bool
}

// spanRoom is how many spans an operation holds without allocating.
const spanRoom = 16

// addSpan appends x[low:high] to ascending spans.
func addSpan(list []span, low, high int, fromY bool) []span {
	if low == high {
		return list
	}
	if n := len(list); n > 0 {
		if last := &list[n-1]; last.fromY == fromY && int(last.high) == low {
			last.high = int32(high)
			return list
		}
	}
	if len(list) == cap(list) {
		list = slices.Grow(list, 7*len(list))
	}
	return append(list, span{int32(low), int32(high), fromY})
}

// pick returns the elements of x in the spans: a part of x when they are in one
// piece, else a new slice.
func (a *arena) pick(list []span, x []PathElement) []PathElement {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return part(x, int(list[0].low), int(list[0].high))
	}
	return a.gather(list, x, nil)
}

// gather returns a new slice of the elements of x and y in the spans.
func (a *arena) gather(list []span, x, y []PathElement) []PathElement {
	count := 0
	for _, sp := range list {
		count += int(sp.high - sp.low)
	}
	out := a.elements.take(count)
	rest := out
	for _, sp := range list {
		from := x
		if sp.fromY {
			from = y
		}
		rest = rest[copy(rest, from[sp.low:sp.high]):]
	}
	return out
}

// seekElements returns the first position from i on whose element is not before
// pe, and whether it is equal. Steps double, so that a small set costs little
// against a large one.
func seekElements(s []PathElement, i int, pe *PathElement) (at int, found bool) {
	low, step := i, 1
	for {
		if i >= len(s) {
			i = len(s)
			break
		}
		c := compareElements(&s[i], pe)
		if c == 0 {
			return i, true
		}
		if c > 0 {
			break
		}
		low = i + 1
		i += step
		step *= 2
	}
	high := i
	for low < high {
		middle := int(uint(low+high) >> 1)
		c := compareElements(&s[middle], pe)
		if c == 0 {
			return middle, true
		}
		if c < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, false
}

// seekNodes is seekElements over the children of a set.
func seekNodes(s []SetNode, i int, pe *PathElement) (at int, found bool) {
	low, step := i, 1
	for {
		if i >= len(s) {
			i = len(s)
			break
		}
		c := compareElements(&s[i].PathElement, pe)
		if c == 0 {
			return i, true
		}
		if c > 0 {
			break
		}
		low = i + 1
		i += step
		step *= 2
	}
	high := i
	for low < high {
		middle := int(uint(low+high) >> 1)
		c := compareElements(&s[middle].PathElement, pe)
		if c == 0 {
			return middle, true
		}
		if c < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, false
}

// nodePicker builds a list of children out of an existing one, in order. As
// long as what is kept is one unchanged piece of it, nothing is allocated.
type nodePicker struct {
	from      []SetNode
	low, high int       // from[low:high] is kept, while out is nil
	out       []SetNode // the result once it is no longer a piece of from
}

// put appends child i with set below it, or leaves it out when set is nil. At
// most more children follow.
func (p *nodePicker) put(a *arena, i int, set *Set, more int) {
	if set == nil {
		return
	}
	if p.out == nil {
		if set == p.from[i].Set && (p.low == p.high || p.high == i) {
			if p.low == p.high {
				p.low = i
			}
			p.high = i + 1
			return
		}
		p.out = append(a.nodes.take(p.high - p.low + 1 + more)[:0], p.from[p.low:p.high]...)
	}
	p.out = append(p.out, SetNode{PathElement: p.from[i].PathElement, Set: set})
}

// keep appends the children from low up to high as they are. None but those that
// follow high follow.
func (p *nodePicker) keep(a *arena, low, high int) {
	if low == high {
		return
	}
	if p.out == nil {
		if p.low == p.high || p.high == low {
			if p.low == p.high {
				p.low = low
			}
			p.high = high
			return
		}
		p.out = append(a.nodes.take(p.high - p.low + len(p.from) - low)[:0], p.from[p.low:p.high]...)
	}
	p.out = append(p.out, p.from[low:high]...)
}

func (p *nodePicker) result() []SetNode {
	if p.out == nil {
		return part(p.from, p.low, p.high)
	}
	return capped(p.out)
}
