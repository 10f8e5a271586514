package fieldpath

// spans collects which parts of a sorted slice an operation keeps. Most
// operations keep nearly everything or nearly nothing, so this stays short.
type spans struct {
	list  []span
	count int // elements in all spans
}

// span is x[low:high], or y[low:high] in a union of x and y.
type span struct {
	low, high int32
	fromY     bool
}

// add appends x[low:high]. Spans are added in ascending order.
func (s *spans) add(low, high int) { s.addFrom(low, high, false) }

func (s *spans) addFrom(low, high int, fromY bool) {
	if low == high {
		return
	}
	s.count += high - low
	if n := len(s.list); n > 0 {
		if last := &s.list[n-1]; last.fromY == fromY && int(last.high) == low {
			last.high = int32(high)
			return
		}
	}
	s.list = append(s.list, span{int32(low), int32(high), fromY})
}

// pick returns the chosen elements of x: a part of x when they are in one
// piece, else a new slice.
func (s *spans) pick(a *arena, x []PathElement) []PathElement {
	switch len(s.list) {
	case 0:
		return nil
	case 1:
		return part(x, int(s.list[0].low), int(s.list[0].high))
	}
	return s.gather(a, x, nil)
}

// gather returns a new slice of the chosen elements of x and y.
func (s *spans) gather(a *arena, x, y []PathElement) []PathElement {
	out := a.elements.take(s.count)
	rest := out
	for _, sp := range s.list {
		from := x
		if sp.fromY {
			from = y
		}
		rest = rest[copy(rest, from[sp.low:sp.high]):]
	}
	return out
}

// spanRoom is how many spans an operation holds without allocating.
const spanRoom = 16

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

func (p *nodePicker) result() []SetNode {
	if p.out == nil {
		return part(p.from, p.low, p.high)
	}
	return capped(p.out)
}
