// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func write(t *testing.T, p Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The page loads no other resources, and its Content-Security-Policy forbids them.
func TestNothingFromOutside(t *testing.T) {
	got := write(t, Page{Title: "t", Objects: []Object{{Name: "o", Lines: []Line{{Text: "a: 1", Path: ".a"}}}}})
	if !strings.Contains(got, "default-src &#39;none&#39;") {
		t.Error("no policy")
	}
	for _, pattern := range []string{`\ssrc=`, `<link`, `@import`, `url\(`, `https?://`, `fetch\(`, `XMLHttp`, `\son[a-z]+=`} {
		if found := regexp.MustCompile(pattern).FindString(got); found != "" {
			t.Errorf("%q in the page", found)
		}
	}
}

// The page escapes all values.
func TestEscapes(t *testing.T) {
	const evil = `"'><script>alert(1)</script>{{.}}`
	got := write(t, Page{Title: evil, Objects: []Object{{
		Name:      evil,
		Managers:  []Manager{{Name: evil, Operation: evil, APIVersion: evil, Subresource: evil, Time: evil, Age: evil}},
		Lines:     []Line{{Text: evil, Path: evil, Owners: []int{0}, Note: evil, Conflict: 1}},
		Lost:      []Lost{{Path: evil}},
		ConfigBy:  evil,
		Conflicts: []Conflict{{Path: evil, Yours: evil, Live: evil, Owner: evil, Note: evil, Line: 1}, {Path: evil}},
	}}, Totals: []Totals{{By: evil, ByManager: true, Conflicts: true, Rows: []Total{{Name: evil, Operation: evil, Shares: []Share{{Name: evil}}}}}}})
	if strings.Contains(got, "<script>alert") || strings.Contains(got, evil) {
		t.Errorf("not escaped:\n%s", got)
	}
	if n := strings.Count(got, "<script>"); n != 1 {
		t.Errorf("%d scripts, want ours", n)
	}
	if n := strings.Count(got, "alert(1)"); n < 24 {
		t.Errorf("%d places show what was put in", n)
	}
}

// Each manager has a lane of its own, with a position and a filter.
func TestLanes(t *testing.T) {
	var o Object
	for i := range 30 {
		o.Managers = append(o.Managers, Manager{Name: fmt.Sprint("m", i)})
		o.Lines = append(o.Lines, Line{Text: "a", Owners: []int{i}})
	}
	got := write(t, Page{Objects: []Object{o, {}}})
	for _, want := range []string{
		".l29{left:calc(var(--lane)*29)}", `value="29"`, ">AD</b> m29<", `class="line o29"`, "c5 again",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(got, ".l30") {
		t.Error("more lanes than managers")
	}
}

func TestLetter(t *testing.T) {
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA"} {
		if got := letter(i); got != want {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
}
