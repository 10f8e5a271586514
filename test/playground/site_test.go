// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"encoding/json"
	"flag"
	"html"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/dovetail-ssa/dovetail/test/internal/chromium"
)

var every = flag.Int("every", 25, "open each `n`th case of the specification in the playground")

// sitePages returns the texts of the pages of the site by file, without the playground.
func sitePages(t *testing.T) map[string]string {
	t.Helper()
	dir := site(t)
	pages := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".html") || strings.HasPrefix(name, "playground/") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		pages[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 80 {
		t.Fatalf("the site has %d pages", len(pages))
	}
	return pages
}

var (
	address   = regexp.MustCompile(`(<\w+)[^>]* (?:href|src)="([^"]*)"`)
	id        = regexp.MustCompile(` id="([^"]*)"`)
	codeBlock = regexp.MustCompile(`(?s)<pre[^>]*><code>(.*?)</code></pre>`)
)

// TestSiteLinks checks that each link within the site leads to a file, an anchor or a state of
// the playground that exists. Only links may name another origin, so a page loads nothing from
// there.
func TestSiteLinks(t *testing.T) {
	dir, pages := site(t), sitePages(t)
	states := playgroundStates(t, dir)
	anchors := map[string][]string{}
	for name, text := range pages {
		for _, m := range id.FindAllStringSubmatch(text, -1) {
			if slices.Contains(anchors[name], m[1]) {
				t.Errorf("%s has the id %s twice", name, m[1])
			}
			anchors[name] = append(anchors[name], m[1])
		}
	}
	for name, text := range pages {
		for _, m := range address.FindAllStringSubmatch(text, -1) {
			tag, to := m[1], html.UnescapeString(m[2])
			if strings.HasPrefix(to, "https://") && tag == "<a" || to == "data:," {
				continue
			}
			file, anchor, _ := strings.Cut(to, "#")
			if file = path.Join(path.Dir(name), file); strings.HasPrefix(to, "#") {
				file = name
			}
			if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.IsDir() {
				t.Errorf("%s: %s leads to no file", name, to)
			} else if known := append(anchors[file], states[file]...); anchor != "" && !slices.Contains(known, anchor) {
				t.Errorf("%s: %s leads to no anchor", name, to)
			}
		}
		if strings.Contains(text, "<script") || strings.Contains(text, " style=") {
			t.Errorf("%s has a script or a style", name)
		}
	}
}

// playgroundStates returns the names of the states that the playground can open, by its file.
func playgroundStates(t *testing.T, dir string) map[string][]string {
	t.Helper()
	var examples []struct{ ID string }
	read(t, filepath.Join(dir, "playground/examples.json"), &examples)
	var names []string
	for _, e := range examples {
		names = append(names, e.ID)
	}
	for _, id := range cases(t, dir) {
		names = append(names, id)
	}
	return map[string][]string{"playground/index.html": names}
}

// cases returns the names of the cases that the playground can open, in order.
func cases(t *testing.T, dir string) (ids []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "playground/cases/*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the playground has no cases: %v", err)
	}
	for _, file := range files {
		var group struct{ Cases map[string]any }
		read(t, file, &group)
		for id := range group.Cases {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func read(t *testing.T, file string, to any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSiteCommands checks that each code block of the site is in a document of the repository.
// The tests of the documents run the commands in them.
func TestSiteCommands(t *testing.T) {
	var documents strings.Builder
	for _, pattern := range []string{"*.md", "docs/*.md", "spec/*.md", "test/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			// A code block in a list is indented.
			for line := range strings.Lines(string(text)) {
				documents.WriteString(strings.TrimLeft(line, " "))
			}
		}
	}
	all := documents.String()
	blocks := 0
	for name, text := range sitePages(t) {
		for _, m := range codeBlock.FindAllStringSubmatch(text, -1) {
			blocks++
			var block strings.Builder
			for line := range strings.Lines(html.UnescapeString(m[1])) {
				block.WriteString(strings.TrimLeft(line, " "))
			}
			if !strings.Contains(all, block.String()) {
				t.Errorf("%s: no document has this code block:\n%s", name, m[1])
			}
		}
	}
	if blocks < 100 {
		t.Errorf("the site has %d code blocks", blocks)
	}
}

// serve serves the site and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.FileServerFS(os.DirFS(site(t))))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// TestSitePages opens each page in a window of 320 pixels, and some pages with the tool axe. A
// page must not be wider than the window, must not request another origin, and must have no
// serious problem of accessibility.
func TestSitePages(t *testing.T) {
	pages := sitePages(t)
	base := serve(t)
	browser := chromium.Start(t, 1280, 1000)
	script := axe(t)
	// One page of each kind is enough for axe.
	kinds := []string{"index.html", "overview.html", "results.html", "docs/index.html", "docs/cluster.html", "docs/prediction.html", "spec/index.html", "spec/rules/G4.html", "spec/rules/L11.html", "test/bench/RESULTS.html"}
	check := func(p *chromium.Tab) {
		for _, url := range p.Requests() {
			if !strings.HasPrefix(url, base) && !strings.HasPrefix(url, "data:") {
				t.Errorf("a page requests %s", url)
			}
		}
		if messages := p.Messages(); len(messages) > 0 {
			t.Errorf("the browser reports %q", messages)
		}
	}
	var p *chromium.Tab
	for i, name := range slices.Sorted(maps.Keys(pages)) {
		if i%20 == 0 {
			p = chromium.Open(t, browser) // a tab has a limited time
		}
		p.Do(emulation.SetDeviceMetricsOverride(320, 700, 1, true), chromedp.Navigate(base+name))
		var width int
		if p.Eval("document.documentElement.scrollWidth", &width); width > 320 {
			t.Errorf("%s is %d pixels wide", name, width)
		}
		check(p)
	}
	for _, name := range kinds {
		p := chromium.Open(t, browser)
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{320, 1280} {
				p.Do(chromium.Prefer(scheme), emulation.SetDeviceMetricsOverride(width, 900, 1, false), chromedp.Navigate(base+name))
				if shots != "" {
					p.Screenshot(filepath.Join(shots, "site-"+strings.ReplaceAll(name, "/", "-")+"-"+scheme+"-"+strconv.FormatInt(width, 10)+".png"))
				}
				if found := p.Violations(script); len(found) > 0 {
					t.Errorf("%s, %s, %d pixels: %s", name, scheme, width, strings.Join(found, "\n"))
				}
			}
		}
		check(p)
	}
}

// showCase is a script that opens a case in the playground. It returns what the page shows.
const showCase = `(async () => {
	const status = document.getElementById("status");
	status.textContent = "Loading";
	location.hash = ID;
	while (status.textContent === "Loading" || document.querySelector("#about h2")?.textContent !== "Case " + ID) {
		await new Promise((done) => setTimeout(done, 5));
	}
	return {
		id: ID, kind: status.className, fields: document.querySelector(".fields pre")?.textContent ?? "",
		object: [...document.querySelectorAll("table.object tbody .text code")].map((c) => c.textContent).join("\n"),
		conflicts: [...document.querySelectorAll(".conflict dt:nth-of-type(2)")].map((e) => e.textContent.replace(/ .*/, "")),
	};
})()`

// TestCases opens cases of the specification in the playground, as the links of the site do.
// The page must show the expected result. Shown.mjs compares the results.
func TestCases(t *testing.T) {
	open := tabs(t, serve(t)+"playground/")
	var p *page
	var results []any
	for i, id := range cases(t, site(t)) {
		if i%*every != 0 {
			continue
		}
		if len(results)%100 == 0 {
			p = open(t, "#O1") // a tab has a limited time
		}
		var result map[string]any
		p.Do(chromedp.Evaluate(strings.ReplaceAll(showCase, "ID", quote(id)), &result,
			func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }))
		results = append(results, result)
	}
	text, err := json.Marshal(results)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "shown.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(findProgram(t, "node"), "shown.mjs", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%d cases", len(results))
}
