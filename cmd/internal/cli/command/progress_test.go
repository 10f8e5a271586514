// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	p := &Progress{w: &out, now: func() time.Time { return now }, total: 1000, next: now.Add(progressAfter)}
	for range 1000 {
		now = now.Add(10 * time.Millisecond)
		p.Done()
	}
	p.Erase()
	lines := strings.Split(out.String(), "\r\x1b[K")
	if lines[1] != "50 of 1000 objects" || lines[2] != "60 of 1000 objects" || lines[len(lines)-1] != "" || len(lines) != 97 {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
}

// If the total is unknown, the progress line shows only the number of finished objects.
func TestProgressWithoutTotal(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	p := &Progress{w: &out, now: func() time.Time { return now }}
	now = now.Add(progressAfter)
	p.Done()
	p.Erase()
	if out.String() != "\r\x1b[K1 objects\r\x1b[K" {
		t.Errorf("got %q", out.String())
	}
}

// The progress line appears neither for short work, nor without a terminal.
func TestProgressIsQuiet(t *testing.T) {
	var out strings.Builder
	for _, terminal := range []bool{true, false} {
		r := &Run{Env: Env{Stderr: &out, Progress: terminal}}
		n := 0
		for range Counted(r, make([]int, 100)) {
			n++
		}
		if n != 100 || out.Len() > 0 {
			t.Errorf("%d of 100, %q", n, out.String())
		}
	}
}

// A loop that breaks off or panics also erases its progress line.
func TestProgressIsErased(t *testing.T) {
	for name, loop := range map[string]func(r *Run){
		"break": func(r *Run) {
			for i := range Counted(r, []int{0, 1, 2, 3}) {
				time.Sleep(progressAfter / 2)
				if i == 3 {
					break
				}
			}
		},
		"panic": func(r *Run) {
			defer func() { _ = recover() }()
			for i := range Counted(r, []int{0, 1, 2, 3}) {
				time.Sleep(progressAfter / 2)
				if i == 3 {
					panic("no")
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			loop(&Run{Env: Env{Stderr: &out, Progress: true}})
			if text := out.String(); !strings.Contains(text, "of 4 objects") || !strings.HasSuffix(text, "\r\x1b[K") {
				t.Errorf("got %q", text)
			}
		})
	}
}
