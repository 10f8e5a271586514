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
	// progressAfter is the time after which the progress line first appears. progressEvery is
	// the minimum time between updates of the line.
	progressAfter = 500 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// Counted iterates over a list of objects. If the iteration takes a while, a line on the
// terminal shows the number of finished objects. At the end, Counted erases the line.
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

// Progress shows the number of finished objects in a line on the terminal.
type Progress struct {
	w           io.Writer
	now         func() time.Time
	done, total int
	next        time.Time // when to update the line next
	shown       bool
}

// NewProgress returns a Progress for total objects. A total of 0 means that the number is unknown.
func NewProgress(r *Run, total int) *Progress {
	p := &Progress{w: io.Discard, now: time.Now, total: total}
	if r.Env.Progress {
		p.w = r.Env.Stderr
	}
	p.next = p.now().Add(progressAfter)
	return p
}

// Done counts one more finished object.
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

// Erase erases the progress line.
func (p *Progress) Erase() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
