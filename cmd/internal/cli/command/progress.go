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
	// progressAfter is the time before the first progress line, progressEvery the time between
	// updates.
	progressAfter = 500 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// Counted iterates over a list of objects. If that takes a while, a line on the terminal shows
// the number of finished objects. Counted erases the line at the end.
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

// Progress is a line on the terminal with the number of finished objects.
type Progress struct {
	w           io.Writer
	now         func() time.Time
	done, total int
	next        time.Time // when to write
	shown       bool
}

// NewProgress returns a Progress for a total number of objects. total is 0 if the number is
// unknown.
func NewProgress(r *Run, total int) *Progress {
	p := &Progress{w: io.Discard, now: time.Now, total: total}
	if r.Env.Progress {
		p.w = r.Env.Stderr
	}
	p.next = p.now().Add(progressAfter)
	return p
}

// Done counts one more object.
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

// Erase erases the line.
func (p *Progress) Erase() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
