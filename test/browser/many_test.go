// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"fmt"
	"os"
	"path/filepath"
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

// shops writes a file with n copies of the live objects of examples/shop. One copy has 24
// objects.
func shops(t *testing.T, n int) string {
	text, err := os.ReadFile(filepath.Join(root, "examples/shop/live.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for i := range n {
		name := fmt.Sprintf("shop-%d", i+1)
		one := strings.ReplaceAll(string(text), "namespace: shop\n", "namespace: "+name+"\n")
		all.WriteString("---\n" + strings.ReplaceAll(one, "\n    name: shop\n", "\n    name: "+name+"\n"))
	}
	file := filepath.Join(t.TempDir(), "live.yaml")
	if err := os.WriteFile(file, []byte(all.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const database = "examples/database/crd.yaml"

// indexed is a script that returns the names of the objects that the index shows.
const indexed = `[...document.querySelectorAll(".index tbody th")].filter((c) => c.offsetParent !== null).map((c) => c.textContent)`

// TestPageIndex checks a page of several objects, with and without JavaScript. The page must
// start with an index that has a link to each object.
func TestPageIndex(t *testing.T) {
	for _, script := range []bool{true, false} {
		p := open(t, emulation.SetScriptExecutionDisabled(!script), "-f", shops(t, 2), "--crd", database)
		var got struct {
			Names, Titles []string
			Field         bool
		}
		p.Eval(indexed, &got.Names)
		p.Eval(`[...document.querySelectorAll(".index tbody a")].map((a) => document.querySelector(a.hash).textContent.replace(/ index$/, ""))`, &got.Titles)
		p.Eval(`document.getElementById("find").offsetParent !== null`, &got.Field)
		if len(got.Names) != 48 || !slices.Equal(got.Names, got.Titles) || got.Field != script {
			t.Errorf("JavaScript %v: the index has %d objects, a search field: %v\nthe links %q lead to\n%q", script, len(got.Names), got.Field, got.Names, got.Titles)
		}
	}
}

// TestPageIndexIsSearched checks the search field of the index. While it contains words, the
// index must show only objects whose kind, namespace, name or owners contain all of the words.
// The Enter key must open the first of these objects. A link in the table of totals must search
// for its manager.
func TestPageIndexIsSearched(t *testing.T) {
	p := open(t, nil, "-f", shops(t, 2), "--crd", database)
	shown := func() (names []string) {
		p.Eval(indexed, &names)
		return names
	}
	p.Do(chromedp.SendKeys("#find", "Deployment SHOP-2/ kubectl-edit", chromedp.ByQuery))
	if got := shown(); !slices.Equal(got, []string{"apps/v1 Deployment shop-2/api"}) {
		t.Errorf("the index shows %q", got)
	}
	var count string
	p.Eval(`document.getElementById("count").textContent`, &count)
	if count != "1 of 48 objects" {
		t.Errorf("the index says %q about the number of objects", count)
	}
	p.Press(kb.Enter)
	var focus string
	p.Eval(`document.activeElement.textContent`, &focus)
	if focus != "apps/v1 Deployment shop-2/api" {
		t.Errorf("the Enter key leads to %q", focus)
	}
	p.Press(kb.Enter)
	var target string
	p.Eval(`document.querySelector(":target").textContent`, &target)
	if target != "apps/v1 Deployment shop-2/api index" {
		t.Errorf("the link leads to %q", target)
	}
	p.Eval(`document.getElementById("find").value = ""`, nil)
	p.Do(chromedp.SendKeys("#find", "nothing", chromedp.ByQuery))
	if got := shown(); len(got) != 0 {
		t.Errorf("the index shows %q", got)
	}
	p.Do(chromedp.SendKeys("#find", strings.Repeat(kb.Backspace, 7), chromedp.ByQuery))
	if got := shown(); len(got) != 48 {
		t.Errorf("without words in the search field, the index shows %d objects", len(got))
	}
	p.Eval(`[...document.querySelectorAll(".find")].find((a) => a.textContent === "kubectl-edit").click()`, nil)
	if got := shown(); len(got) != 4 {
		t.Errorf("for kubectl-edit, the index shows %q", got)
	}
	if len(p.Requests()) != 1 || len(p.Messages()) > 0 {
		t.Errorf("the page requested %q, and the browser reported %q", p.Requests(), p.Messages())
	}
}

// TestPageTotals checks the table of totals. For each manager, the table must have two
// numbers: the fields that the manager shares with other managers, and the conflicts of
// the manager with a config.
func TestPageTotals(t *testing.T) {
	shared := open(t, nil, "-f", live, "-f", "examples/shop/live.yaml", "--crd", database)
	var with string
	shared.Eval(`[...document.querySelectorAll(".totals tbody tr")].find((r) => r.firstElementChild.textContent === "web").lastElementChild.textContent`, &with)
	if want := "monitoring (2)"; with != want {
		t.Errorf("web shares fields with %q, want %q", with, want)
	}
	p := open(t, nil, "-f", "examples/shop/live.yaml", "--crd", database, "--config", "examples/shop/chart.yaml", "--field-manager", "helm")
	var got []string
	p.Eval(`[...document.querySelectorAll(".totals tr:not(thead tr)")].map((r) => [...r.children].map((c) => c.textContent).join("|"))`, &got)
	for _, want := range []string{
		"kubectl-edit|Update|2|3|2",
		"kubectl-client-side-apply|Update|1|30|1",
		"Deployment|4|128|3",
		"shop|23|",
		"none|1|",
	} {
		if !slices.ContainsFunc(got, func(row string) bool { return strings.HasPrefix(row, want) }) {
			t.Errorf("the table of totals has no row %s:\n%s", want, strings.Join(got, "\n"))
		}
	}
}

// TestPageIndexIsAccessible checks the headings, labels and regions of a page of several
// objects.
func TestPageIndexIsAccessible(t *testing.T) {
	for _, name := range []string{"light", "dark"} {
		p := open(t, chromium.Prefer(name), "-f", "examples/shop/live.yaml", "--crd", database, "--config", "examples/shop/chart.yaml", "--field-manager", "helm")
		var facts struct {
			Headings         []string
			Unnamed, Scopes  int
			Twice, H1, Wider int
		}
		p.Eval(`(() => {
			const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
			const levels = [...document.querySelectorAll("h1, h2, h3")].map((h) => h.tagName);
			return {
				headings: [...new Set(levels)], h1: levels.filter((l) => l === "H1").length,
				unnamed: [...document.querySelectorAll("[tabindex='0']:not(tr)")].filter((e) => !e.ariaLabel && !e.getAttribute("aria-labelledby")).length +
					(document.getElementById("find").labels.length === 1 ? 0 : 1),
				scopes: document.querySelectorAll("th:not([scope])").length, twice: ids.length - new Set(ids).size,
				wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
			};
		})()`, &facts)
		if !slices.Equal(facts.Headings, []string{"H1", "H2", "H3"}) || facts.H1 != 1 || facts.Unnamed+facts.Scopes+facts.Twice+facts.Wider != 0 {
			t.Errorf("%+v", facts)
		}
		var worst struct {
			Ratio float64
			Text  string
		}
		p.Eval(contrast, &worst)
		if worst.Ratio < 4.5 {
			t.Errorf("%s: the contrast %.2f of the text %q is too low", name, worst.Ratio, worst.Text)
		}
	}
}

// TestPageOfManyObjects opens a page of 1,008 objects. The browser must lay out only the
// objects near the visible part of the page. The test logs how long it takes to open the page
// and to search.
func TestPageOfManyObjects(t *testing.T) {
	page := func(n int) (laidOut int) {
		file := shops(t, n)
		begin := time.Now()
		p := open(t, performance.Enable().WithTimeDomain(performance.EnableTimeDomainThreadTicks), "-f", file, "--crd", database)
		var lines int
		p.Eval(`(document.body.getBoundingClientRect(), document.querySelectorAll("tr.line").length)`, &lines)
		loaded := metricsOf(p)
		p.Eval(`[...document.querySelectorAll("tr.line")].filter((r) => r.checkVisibility({contentVisibilityAuto: true})).length`, &laidOut)
		var opened, search float64
		p.Eval(`performance.timing.loadEventEnd - performance.timing.navigationStart`, &opened)
		p.Eval(`(() => {
			const find = document.getElementById("find"), begin = performance.now();
			find.value = "kubectl-edit";
			find.dispatchEvent(new Event("input"));
			document.body.getBoundingClientRect();
			return performance.now() - begin;
		})()`, &search)
		var names []string
		p.Eval(indexed, &names)
		if len(names) != 2*n {
			t.Errorf("%d objects found, want %d", len(names), 2*n)
		}
		t.Logf("%d objects, %d lines, %d laid out: created and shown in %.1f s, loaded in %.0f ms, searched in %.1f ms; %v", 24*n, lines, laidOut, time.Since(begin).Seconds(), opened, search, loaded)
		return laidOut
	}
	few, many := page(2), page(42)
	if many > few+200 {
		t.Errorf("the browser lays out %d lines, and only %d with 48 objects", many, few)
	}
}
