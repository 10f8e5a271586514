// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"slices"
	"strings"
	"testing"
)

func run(t *testing.T, lines ...string) *Result {
	t.Helper()
	var b strings.Builder
	for _, l := range lines {
		action, test, _ := strings.Cut(l, " ")
		b.WriteString(`{"Action":"` + action + `","Package":"m/p"`)
		if test != "" {
			b.WriteString(`,"Test":"` + test + `"`)
		}
		b.WriteString("}\n")
	}
	r, err := Read(strings.NewReader(b.String()), "m/")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCompare(t *testing.T) {
	base := run(t, "pass TestA", "pass TestA/x", "pass TestA/y", "pass TestB", "pass TestWhite", "pass TestWhite/z", "skip TestS", "pass")
	white := []string{"p.TestWhite"}
	for _, tc := range []struct {
		name   string
		ours   *Result
		listed []string
		ok     bool
		passes int
		bad    []string // the unlisted and the vanished tests
	}{
		{
			name: "all pass", ok: true, passes: 4,
			ours: run(t, "pass TestA", "pass TestA/x", "pass TestA/y", "pass TestB", "pass"),
		},
		{
			name: "unlisted", passes: 2, bad: []string{"p.TestA", "p.TestA/y"},
			ours: run(t, "fail TestA", "pass TestA/x", "fail TestA/y", "pass TestB", "fail"),
		},
		{
			name: "a listed subtest excuses its parent", ok: true, passes: 2, listed: []string{"p.TestA/y"},
			ours: run(t, "fail TestA", "pass TestA/x", "fail TestA/y", "pass TestB", "fail"),
		},
		{
			name: "a second subtest does not", passes: 1, listed: []string{"p.TestA/y"}, bad: []string{"p.TestA", "p.TestA/x"},
			ours: run(t, "fail TestA", "fail TestA/x", "fail TestA/y", "pass TestB", "fail"),
		},
		{
			name: "what did not run", passes: 3, bad: []string{"p.TestB"},
			ours: run(t, "pass TestA", "pass TestA/x", "pass TestA/y", "pass"),
		},
		{
			name: "a listed test that passes", passes: 4, listed: []string{"p.TestB"}, bad: []string{"p.TestB"},
			ours: run(t, "pass TestA", "pass TestA/x", "pass TestA/y", "pass TestB", "pass"),
		},
		{
			name: "a package that did not build", passes: 0, bad: []string{"p.TestA", "p.TestA/x", "p.TestA/y", "p.TestB"},
			ours: run(t, "fail"),
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := Compare("s", base, tc.ours, white, tc.listed)
			bad := append(slices.Clone(v.Unlisted), v.Vanished...)
			if v.OK() != tc.ok || v.Ours != tc.passes || v.Base != 4 || v.Dropped != 2 || !slices.Equal(bad, tc.bad) {
				t.Errorf("got OK %v, %d pass with Dovetail, %d with structured-merge-diff, %d dropped, unlisted or vanished: %v", v.OK(), v.Ours, v.Base, v.Dropped, bad)
			}
		})
	}
}

// TestTimesInNames checks tests whose names contain a time, so that the names differ between
// two runs.
func TestTimesInNames(t *testing.T) {
	a := run(t, "pass TestD", "pass TestD/2026-11-20T09:52:53Z_old", "pass TestD/2026-11-21T10:52:53Z_old", "pass")
	b := run(t, "pass TestD", "pass TestD/2026-11-20T10:15:52Z_old", "fail TestD/2026-11-21T11:15:52Z_old", "fail")
	v := Compare("s", a, b, nil, nil)
	if v.Base != 3 || v.Ours != 2 || len(v.Unlisted) != 1 || len(v.New) != 0 {
		t.Errorf("%d pass with structured-merge-diff, %d with Dovetail, unlisted %q, new %q", v.Base, v.Ours, v.Unlisted, v.New)
	}
}

func TestBroken(t *testing.T) {
	r, err := Read(strings.NewReader(`# some plain line
{"ImportPath":"m/p [m/p.test]","Action":"build-output","Output":"p.go:1: undefined: x\n"}
{"ImportPath":"m/p [m/p.test]","Action":"build-fail"}
{"Action":"output","Package":"m/p","Output":"FAIL\tm/p [build failed]\n"}
{"Action":"fail","Package":"m/p","FailedBuild":"m/p [m/p.test]"}
`), "m/")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Broken["p"], "undefined: x") {
		t.Errorf("broken: %q", r.Broken)
	}
}
