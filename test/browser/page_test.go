// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/dovetail-ssa/dovetail/test/internal/chromium"
)

const live = "examples/service/live.yaml"

// visible is a script that returns the numbers of the visible lines.
const visible = `[...document.querySelectorAll("tr.line")].filter((r) => r.offsetParent !== null).map((r) => +r.querySelector(".number").textContent)`

// TestPageShowsTheObject checks that the page shows the object with its owners. The page must
// not load other files and must not report errors.
func TestPageShowsTheObject(t *testing.T) {
	p := open(t, nil, "-f", live)
	var lines []string
	p.Eval(`[...document.querySelectorAll("tr.line .yaml")].map((c) => c.textContent)`, &lines)
	var want []string
	for _, line := range strings.Split(strings.TrimSpace(owners(t, "-f", live)), "\n") {
		if text, _, _ := strings.Cut(line, " #"); !strings.HasPrefix(line, "#") && strings.TrimSpace(text) != "" {
			want = append(want, strings.TrimRight(text, " "))
		}
	}
	if !slices.Equal(lines, want) {
		t.Errorf("the page shows the lines\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	var who string
	p.Eval(`document.querySelector("[data-path='.spec.ports[port=9090,protocol=\"TCP\"].port'] .who").textContent.trim()`, &who)
	if who != "A web, B monitoring" {
		t.Errorf("the page shows %q as owners of the port", who)
	}
	if len(p.Requests()) != 1 || len(p.Messages()) > 0 {
		t.Errorf("the page requested %q, and the browser reported %q", p.Requests(), p.Messages())
	}
	var overflow bool
	p.Eval(`document.documentElement.scrollWidth > document.documentElement.clientWidth`, &overflow)
	if overflow {
		t.Error("the page is wider than the window")
	}
}

// TestPageFilters checks the filter: it must show the lines of one manager, and the ancestors of
// these lines. The test uses mouse and keyboard, with and without JavaScript.
func TestPageFilters(t *testing.T) {
	var report struct {
		Objects []struct {
			Places []struct {
				Path   string
				Owners []struct{ Manager string }
			}
		}
	}
	if err := json.Unmarshal([]byte(owners(t, "-f", live, "-o", "report")), &report); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, place := range report.Objects[0].Places {
		for _, o := range place.Owners {
			if o.Manager == "monitoring" {
				want = append(want, place.Path)
			}
		}
	}
	for _, script := range []bool{true, false} {
		t.Run(fmt.Sprintf("script=%v", script), func(t *testing.T) {
			p := open(t, emulation.SetScriptExecutionDisabled(!script), "-f", live)
			var all, some, back []int
			p.Eval(visible, &all)
			p.Do(chromedp.Click(`label[for="m-0-1"]`))
			for range 50 { // a busy browser may show the effect of a click later
				if p.Eval(visible, &some); len(some) < len(all) {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			if len(some) == 0 || len(some) >= len(all) {
				t.Fatalf("the filter shows %d of %d lines", len(some), len(all))
			}
			var owned []string
			p.Eval(`[...document.querySelectorAll("tr.line.o1")].filter((r) => r.offsetParent !== null).map((r) => r.dataset.path)`, &owned)
			// The line of an item's first field stands for the item, too.
			for _, path := range want {
				if !slices.ContainsFunc(owned, func(o string) bool { return o == path || strings.HasPrefix(o, path+".") }) {
					t.Errorf("%s is not shown in %q", path, owned)
				}
			}
			var others int
			p.Eval(`[...document.querySelectorAll("tr.line:not(.o1, .b1)")].filter((r) => r.offsetParent !== null).length`, &others)
			if others > 0 {
				t.Errorf("the filter shows %d lines of other managers", others)
			}
			p.Press(kb.ArrowUp, kb.ArrowUp) // move from the second manager to all managers
			p.Eval(visible, &back)
			if !slices.Equal(back, all) {
				t.Errorf("lines shown again: %v, want %v", back, all)
			}
		})
	}
}

// TestPageByKeyboard uses the page with the keyboard only. A link must skip the filter. Tab must
// stop only once in the lines, and the arrow keys must move between the visible lines. The focus
// must be visible, and the page must show the details of the focused line.
func TestPageByKeyboard(t *testing.T) {
	p := open(t, nil, "-f", live)
	focus := func() (id string) {
		p.Eval(`document.activeElement.id || document.activeElement.className || document.activeElement.tagName`, &id)
		return id
	}
	expect := func(want string) {
		t.Helper()
		if got := focus(); got != want {
			t.Errorf("the focus is on %q, want %q", got, want)
		}
	}
	p.Press(kb.Tab)
	expect("skip")
	p.Press(kb.Tab)
	expect("all-0")
	p.Press(kb.Tab)
	expect("line-1-1")
	p.Press(kb.ArrowDown, kb.ArrowDown)
	expect("line-1-3")
	p.Press(kb.ArrowUp)
	expect("line-1-2")
	var last int
	p.Eval(`document.querySelectorAll("tr.line").length`, &last)
	p.Press(kb.End)
	expect(fmt.Sprintf("line-1-%d", last))
	p.Press(kb.ArrowDown)
	expect(fmt.Sprintf("line-1-%d", last))
	p.Press(kb.Home, kb.PageDown)
	expect("line-1-21")

	var seen struct {
		Outline string
		Inside  bool
	}
	p.Eval(`(() => {
		const row = document.activeElement, box = row.getBoundingClientRect();
		const below = document.getElementById("details").getBoundingClientRect();
		return {outline: getComputedStyle(row).outlineStyle, inside: box.top >= 0 && box.bottom <= below.top};
	})()`, &seen)
	if seen.Outline != "solid" || !seen.Inside {
		t.Errorf("the focus is not visible: %+v", seen)
	}

	p.Do(chromedp.Focus("#m-0-1"))
	p.Press(" ")
	p.Press(kb.Tab)
	expect("line-1-3")
	p.Press(kb.ArrowDown, kb.ArrowDown)
	expect("line-1-5") // lines 3 and 4 are only the beginnings of the path in line 5
	var details string
	p.Eval(`document.getElementById("details").textContent`, &details)
	want := ".metadata.annotations.prometheus.io/port\nB monitoring · Apply · v1 · 289d ago 2026-02-14T16:02:55Z · 6 paths"
	if details != want {
		t.Errorf("the details are %q, want %q", details, want)
	}
	p.Press(kb.Escape)
	var hidden bool
	p.Eval(`document.getElementById("details").hidden`, &hidden)
	if !hidden {
		t.Error("Escape does not close the details")
	}
}

// TestPageIsAccessible checks the attributes that screen readers use.
func TestPageIsAccessible(t *testing.T) {
	p := open(t, nil, "-f", live)
	var unnamed []string
	p.Eval(`[...document.querySelectorAll("input")].filter((i) => i.labels.length !== 1 || !i.labels[0].textContent.trim()).map((i) => i.id)`, &unnamed)
	if len(unnamed) > 0 {
		t.Errorf("these inputs have no label: %q", unnamed)
	}
	var facts struct {
		Lang, Live, Title, Table string
		Headings, Scopes, Twice  int
	}
	p.Eval(`(() => {
		const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
		return {
			lang: document.documentElement.lang, title: document.title,
			live: document.getElementById("details").getAttribute("aria-live"),
			table: document.querySelector("table.lines").getAttribute("aria-label"),
			headings: document.querySelectorAll("h1").length,
			scopes: document.querySelectorAll("th:not([scope])").length,
			twice: ids.length - new Set(ids).size,
		};
	})()`, &facts)
	if facts.Lang != "en" || facts.Live != "polite" || facts.Title != "Owners of v1 Service store/shop" || facts.Table != "v1 Service store/shop, line by line" ||
		facts.Headings != 1 || facts.Scopes != 0 || facts.Twice != 0 {
		t.Errorf("%+v", facts)
	}
}

// contrast is a script that returns the text with the lowest contrast to its background, and
// its element.
const contrast = `(() => {
	const parse = (c) => c.match(/[\d.]+/g).map(Number);
	const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const ground = (e) => {
		for (; e; e = e.parentElement) {
			const c = parse(getComputedStyle(e).backgroundColor);
			if (c.length < 4 || c[3] > 0) return c;
		}
		return [255, 255, 255];
	};
	let worst = {ratio: 21, text: ""};
	for (const e of document.querySelectorAll("body *")) {
		const text = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join("");
		if (!text || e.tagName === "SCRIPT" || e.closest(".skip, .hidden, [hidden]") || !e.getClientRects().length) continue;
		let alpha = 1;
		for (let up = e; up; up = up.parentElement) alpha *= +getComputedStyle(up).opacity;
		const back = ground(e);
		const front = parse(getComputedStyle(e).color).slice(0, 3).map((v, i) => v * alpha + back[i] * (1 - alpha));
		const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
		const ratio = (a + 0.05) / (b + 0.05);
		if (ratio < worst.ratio) worst = {ratio, text: text.slice(0, 40) + " in " + e.className};
	}
	return {ratio: worst.ratio, text: worst.text, ground: light(ground(document.body))};
})()`

// TestPageInBothSchemes checks that all text is readable in the light and the dark color
// scheme. It checks each color of a manager, with and without focus, and with and without a
// filter.
func TestPageInBothSchemes(t *testing.T) {
	file := manyManagers(t)
	for _, name := range []string{"light", "dark"} {
		t.Run(name, func(t *testing.T) {
			p := open(t, chromium.Prefer(name), "-f", file)
			for _, state := range []string{``, `document.querySelector("tr.line").focus()`, `document.getElementById("m-0-3").click()`} {
				p.Eval(state+"; 0", nil)
				var got struct {
					Ratio, Ground float64
					Text          string
				}
				p.Eval(contrast, &got)
				if got.Ratio < 4.5 {
					t.Errorf("%s: the contrast %.2f of the text %q is too low", state, got.Ratio, got.Text)
				}
				if dark := got.Ground < 0.05; dark != (name == "dark") {
					t.Errorf("the background has luminance %.2f", got.Ground)
				}
			}
			var grounds []string
			p.Eval(`[...new Set([...document.querySelectorAll(".managers .mark:not(.none)")].map((m) => getComputedStyle(m).backgroundColor))]`, &grounds)
			if len(grounds) != 8 {
				t.Errorf("the managers have %d colors: %q", len(grounds), grounds)
			}
		})
	}
}

// manyManagers writes a file with one object. Each of ten managers owns one field.
func manyManagers(t *testing.T) string {
	var entries []any
	data := map[string]any{}
	for i := range 10 {
		key := fmt.Sprintf("key%d", i)
		data[key] = "v"
		entries = append(entries, map[string]any{
			"manager": fmt.Sprintf("manager-%d", i), "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
			"fieldsV1": map[string]any{"f:data": map[string]any{"f:" + key: map[string]any{}, "f:shared": map[string]any{}}},
		})
	}
	data["shared"], data["nobodys"] = "v", "v"
	return writeObject(t, map[string]any{"name": "many", "managedFields": entries}, data)
}

func writeObject(t *testing.T, metadata, data map[string]any) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "live.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestPageEscapes checks that the page shows HTML in names and values as plain text.
func TestPageEscapes(t *testing.T) {
	hostile := []string{
		`<script>alert(1)</script>`, `</script><img src=x onerror=alert(1)>`, `" onfocus="alert(1)`, `' onfocus='alert(1)`,
		`{{.Title}}`, `--></style><b>`, `javascript:alert(1)`, `]]>`, "a&lt;b", "\u2028", "\U0001f600 ä",
	}
	data := map[string]any{}
	fields := map[string]any{}
	for _, h := range hostile {
		data[h] = h
		fields["f:"+h] = map[string]any{}
	}
	entries := []any{}
	for _, h := range hostile {
		entries = append(entries, map[string]any{
			"manager": h, "operation": "Update", "apiVersion": h, "subresource": h, "fieldsType": "FieldsV1",
			"fieldsV1": map[string]any{"f:data": fields},
		})
	}
	p := open(t, chromedp.ActionFunc(noAlert), "-f", writeObject(t, map[string]any{"name": `<img src=x onerror=alert(1)>`, "managedFields": entries}, data))
	var got struct {
		Managers []string
		Tags     int
		Alerts   int
		Title    string
	}
	p.Eval(`({
		managers: [...document.querySelectorAll(".managers label:has(.mark:not(.none))")].map((l) => l.textContent.replace(/^[A-Z]+ /, "")),
		tags: document.querySelectorAll("img, main script, [onfocus], [onerror]").length,
		alerts: window.alerts || 0, title: document.title,
	})`, &got)
	slices.Sort(hostile)
	slices.Sort(got.Managers)
	if !reflect.DeepEqual(got.Managers, hostile) {
		t.Errorf("the page shows the managers %q, want %q", got.Managers, hostile)
	}
	if got.Tags != 0 || got.Alerts != 0 || !strings.Contains(got.Title, "<img src=x") {
		t.Errorf("%+v", got)
	}
	if len(p.Requests()) != 1 || len(p.Messages()) > 0 {
		t.Errorf("the page requested %q, and the browser reported %q", p.Requests(), p.Messages())
	}
}

// TestPageOnANarrowScreen checks that the object fits on a narrow screen, with few and with
// many managers. No text may be cut off at the side.
func TestPageOnANarrowScreen(t *testing.T) {
	p := open(t, chromedp.EmulateViewport(420, 800), "-f", manyManagers(t))
	var got struct {
		Overflow bool
		Part     float64
	}
	p.Eval(`({
		overflow: document.documentElement.scrollWidth > document.documentElement.clientWidth,
		part: document.querySelector("td.yaml").offsetWidth / document.documentElement.clientWidth,
	})`, &got)
	if got.Overflow || got.Part < 0.4 {
		t.Errorf("%+v", got)
	}
}

// TestPageShowsConflicts checks that the page lists the conflicts of a config. Each conflict
// must have a link to its line.
func TestPageShowsConflicts(t *testing.T) {
	p := open(t, nil, "-f", live, "--config", "examples/service/conflict.yaml", "--field-manager", "web")
	var got struct{ Text, Target, Line string }
	p.Eval(`(() => {
		const item = document.querySelector(".conflicts li"), a = item.querySelector("a");
		a.click();
		const row = document.querySelector(":target");
		return {text: item.textContent, target: row.dataset.path, line: row.querySelector(".who").textContent.trim()};
	})()`, &got)
	path := `.spec.ports[port=9090,protocol="TCP"].targetPort`
	if !strings.HasPrefix(got.Text, path+": the config has 9091, the object has metrics, owned by monitoring") || got.Target != path || got.Line != "B monitoring conflict" {
		t.Errorf("%+v", got)
	}
}

// TestPageOfALongObject compares a page of 5,000 lines with a page of 500 lines. It loads each
// page, filters it, and moves to its end. Both pages must need the same number of layouts, and
// the same number of nodes per line. The test logs the time, which is about a second.
func TestPageOfALongObject(t *testing.T) {
	type work struct{ loaded, filtered metrics }
	page := func(lines int) (w work) {
		p := open(t, performance.Enable().WithTimeDomain(performance.EnableTimeDomainThreadTicks), "-f", longObject(t, lines))
		var rows, shown int
		p.Eval(`(() => {
			const rows = document.querySelectorAll("tr.line");
			rows[rows.length - 1].getBoundingClientRect(); // makes the browser lay out the page
			return rows.length;
		})()`, &rows)
		w.loaded = metricsOf(p)
		p.Do(chromedp.Click(`label[for="m-0-2"]`))
		p.Press(kb.Tab, kb.End)
		p.Eval(`[...document.querySelectorAll("tr.line")].filter((r) => r.offsetParent !== null).length`, &shown)
		w.filtered = metricsOf(p)
		if rows <= lines || shown != lines/4+1 { // the shown lines are those of one manager, and the line "data" above them
			t.Fatalf("the page has %d lines and shows %d, want %d", rows, shown, lines/4+1)
		}
		t.Logf("%d lines: %v; filtered and walked to the end: %v", rows, w.loaded, w.filtered)
		return w
	}
	short, long := page(500), page(5000)
	if nodes := (long.loaded["Nodes"] - short.loaded["Nodes"]) / 4500; nodes < 1 || nodes > 16 {
		t.Errorf("%.1f nodes per line, want at most 16", nodes)
	}
	for _, name := range []string{"LayoutCount", "RecalcStyleCount"} {
		// The browser loads a page in parts, and may lay out the page after each part.
		if more := long.loaded[name] - short.loaded[name]; short.loaded[name] < 1 || more > 40 {
			t.Errorf("loaded: %s %.0f, with 500 lines %.0f", name, long.loaded[name], short.loaded[name])
		}
		l, s := long.filtered[name]-long.loaded[name], short.filtered[name]-short.loaded[name]
		if s < 1 || l > s+8 {
			t.Errorf("filtered and walked: %s %.0f, with 500 lines %.0f", name, l, s)
		}
	}
}

// longObject writes a file with one object. It has the given number of lines, and three
// managers.
func longObject(t *testing.T, lines int) string {
	data := map[string]any{}
	fields := [3]map[string]any{{}, {}, {}}
	for i := range lines {
		key := fmt.Sprintf("key-%04d", i)
		data[key] = fmt.Sprintf("value %d", i)
		for j := range fields {
			if i%(j+2) == 0 {
				fields[j]["f:"+key] = map[string]any{}
			}
		}
	}
	var entries []any
	for i, f := range fields {
		entries = append(entries, map[string]any{
			"manager": fmt.Sprintf("manager-%d", i), "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
			"fieldsV1": map[string]any{"f:data": f},
		})
	}
	return writeObject(t, map[string]any{"name": "long", "managedFields": entries}, data)
}

// metrics has the performance metrics of a page. The keys are the names that the browser uses.
type metrics map[string]float64

func (m metrics) String() string {
	return fmt.Sprintf("%.0f nodes, %.0f layouts, %.0f times styled, %.0f ms of work",
		m["Nodes"], m["LayoutCount"], m["RecalcStyleCount"], 1000*m["TaskDuration"])
}

// metricsOf returns the metrics of a tab.
func metricsOf(p *chromium.Tab) metrics {
	p.T.Helper()
	m := metrics{}
	p.Do(chromedp.ActionFunc(func(ctx context.Context) error {
		all, err := performance.GetMetrics().Do(ctx)
		for _, one := range all {
			m[one.Name] = one.Value
		}
		return err
	}))
	return m
}
