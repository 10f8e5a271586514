// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"iter"
	"time"
)

const (
	// progressAfter is how long work takes before it is told how far it is,
	// progressEvery how often.
	progressAfter = 500 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// Counted ranges over a list of objects. On a terminal it tells how many are done
// once that takes a while, in a line that is gone in the end.
func Counted[T any](r *Run, list []T) iter.Seq[T] {
	return func(yield func(T) bool) {
		p := NewProgress(r, len(list))
		defer p.Erase()
		for _, v := range list {
			if !yield(v) {
				return
			}
			p.Done()
		}
	}
}

// Progress is a line that says how far work is.
type Progress struct {
	w           io.Writer
	now         func() time.Time
	done, total int
	next        time.Time // when to write
	shown       bool
}

// NewProgress is that of work on so many objects; 0 if nobody knows how many they are.
func NewProgress(r *Run, total int) *Progress {
	p := &Progress{w: io.Discard, now: time.Now, total: total}
	if r.Env.Progress {
		p.w = r.Env.Stderr
	}
	p.next = p.now().Add(progressAfter)
	return p
}

// Done says that one more is done.
func (p *Progress) Done() {
	p.done++
	now := p.now()
	if p.done == p.total || now.Before(p.next) {
		return
	}
	p.next, p.shown = now.Add(progressEvery), true
	if p.total == 0 {
		fmt.Fprintf(p.w, "\r\x1b[K%d objects", p.done)
		return
	}
	fmt.Fprintf(p.w, "\r\x1b[K%d of %d objects", p.done, p.total)
}

// Erase takes the line away.
func (p *Progress) Erase() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
