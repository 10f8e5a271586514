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
		p := &progress{w: io.Discard, now: time.Now, total: len(list)}
		if r.Env.Progress {
			p.w = r.Env.Stderr
		}
		p.next = p.now().Add(progressAfter)
		defer p.erase()
		for i, v := range list {
			if !yield(v) {
				return
			}
			p.done(i + 1)
		}
	}
}

// progress is a line that says how far work is.
type progress struct {
	w     io.Writer
	now   func() time.Time
	total int
	next  time.Time // when to write
	shown bool
}

func (p *progress) done(n int) {
	now := p.now()
	if n == p.total || now.Before(p.next) {
		return
	}
	p.next, p.shown = now.Add(progressEvery), true
	fmt.Fprintf(p.w, "\r\x1b[K%d of %d objects", n, p.total)
}

func (p *progress) erase() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
