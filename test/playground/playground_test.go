// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/dovetail-ssa/dovetail/test/internal/chromium"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

const root = "../.."

var (
	shots = os.Getenv("PLAYGROUND_SCREENSHOTS") // folder for screenshots; "" takes none
	ready = os.Getenv("SITE_DIST")              // folder with a finished site; "" builds the site
)

// findProgram returns the path of a program. If it does not exist, find skips the test.
func findProgram(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skipf("%s not found", names[0])
	return ""
}

var build = sync.OnceValue(func() error {
	c := exec.Command("node", "build.mjs")
	c.Dir = filepath.Join(root, "web/site")
	c.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=") // GOFLAGS may contain flags that do not fit this build
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
})

// site builds the site, with the playground, and returns its folder.
func site(t *testing.T) string {
	t.Helper()
	if ready != "" {
		return ready
	}
	findProgram(t, "node")
	findProgram(t, "npm")
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "web/site/dist")
}

// TestNode runs the tests of the page's code in Node. The examples must have the results that
// their texts describe. A link with invalid content must cause an error.
func TestNode(t *testing.T) {
	site(t)
	c := exec.Command("node", "--test", "test")
	c.Dir = filepath.Join(root, "web/playground")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// page is a browser tab with the page, whose address is base.
type page struct {
	*chromium.Tab
	base string
}

// browser serves the page with "dovetail playground", and starts a browser. It returns a
// function that opens the page in a new tab.
func browser(t *testing.T) func(t testing.TB, fragment string) *page {
	dir := filepath.Join(site(t), "playground")
	program, err := gocmd.Dovetail(t.TempDir(), "-tags", "slim")
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(program, "playground", dir)
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt)
		if err := server.Wait(); err != nil {
			t.Errorf("dovetail playground: %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return tabs(t, strings.TrimSpace(line))
}

// tabs starts a browser. It returns a function that opens the page, whose address is base, in a
// new tab.
func tabs(t *testing.T, base string) func(t testing.TB, fragment string) *page {
	parent := chromium.Start(t, 1280, 1000)
	return func(t testing.TB, fragment string) *page {
		t.Helper()
		p := &page{Tab: chromium.Open(t, parent), base: base}
		p.Do(chromedp.Navigate(base + fragment))
		p.wait(`!document.getElementById("status").textContent.startsWith("Loading")`)
		t.Cleanup(func() {
			p.screenshot()
			for _, url := range p.Requests() {
				if !strings.HasPrefix(url, base) && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "blob:") {
					t.Errorf("the page requests %s", url)
				}
			}
			if messages := p.Messages(); len(messages) > 0 {
				t.Errorf("the browser reports %q", messages)
			}
		})
		return p
	}
}

func (p *page) screenshot() {
	if shots == "" {
		return
	}
	name := strings.NewReplacer("/", "-", " ", "-").Replace(p.T.Name())
	p.Screenshot(filepath.Join(shots, name+".png"))
}

// eval evaluates a JavaScript expression.
func eval[T any](p *page, script string) T {
	p.T.Helper()
	var v T
	p.Do(chromedp.Evaluate(script, &v))
	return v
}

// wait waits until a JavaScript expression is true.
func (p *page) wait(script string) {
	p.T.Helper()
	for range 600 {
		if eval[bool](p, "!!("+script+")") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.T.Fatalf("never true: %s\nstatus: %s\nproblems: %s", script, eval[string](p, `document.getElementById("status").textContent`), eval[string](p, `document.getElementById("problems").textContent`))
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string can always be encoded
	}
	return string(text)
}

// status waits until the status contains text.
func (p *page) status(text string) {
	p.T.Helper()
	p.wait(`document.getElementById("status").textContent.includes(` + quote(text) + `)`)
}

// sees waits until an element that matches selector contains text.
func (p *page) sees(selector, text string) {
	p.T.Helper()
	p.wait(`[...document.querySelectorAll(` + quote(selector) + `)].some((e) => e.textContent.includes(` + quote(text) + `))`)
}

// lacks waits until no element that matches selector contains text.
func (p *page) lacks(selector, text string) {
	p.T.Helper()
	p.wait(`![...document.querySelectorAll(` + quote(selector) + `)].some((e) => e.textContent.includes(` + quote(text) + `))`)
}

// click clicks the button with the given label or text.
func (p *page) click(name string) {
	p.T.Helper()
	button := `[...document.querySelectorAll("button")].find((b) => (b.getAttribute("aria-label") ?? b.textContent) === ` + quote(name) + `)`
	p.wait(button + ` && !` + button + `.disabled`)
	p.Do(chromedp.Evaluate(button+`.click()`, nil))
}

// line finds the line of the object that contains text. It waits until the margin of this line
// shows the given owners or note. Several owners are in alphabetical order and separated by +.
func (p *page) line(text, owners string) {
	p.T.Helper()
	p.wait(`[...document.querySelectorAll("table.object tbody tr")].some((r) => r.lastChild.textContent.includes(` + quote(text) + `) &&
		([...r.querySelectorAll(".owner")].map((o) => o.textContent).sort().join("+") || r.firstChild.textContent) === ` + quote(owners) + `)`)
}

// edit replaces the text in an editor, as a user does. It uses the first editor within an
// element of the page.
func (p *page) edit(within, text string) {
	p.T.Helper()
	p.Do(chromedp.Focus(within+" .cm-content", chromedp.ByQuery))
	p.Do(chromedp.KeyEvent("a", chromedp.KeyModifiers(input.ModifierCtrl)), input.InsertText(text))
}

func (p *page) choose(selector, value string) {
	p.T.Helper()
	p.Do(chromedp.Evaluate(`{ const s = document.querySelector(`+quote(selector)+`); s.value = `+quote(value)+`; s.dispatchEvent(new Event("change", { bubbles: true })); }`, nil))
}

func (p *page) url() string { p.T.Helper(); return eval[string](p, "location.href") }

const pod = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: \"1\"\n"

// TestPage uses the page as a user does.
func TestPage(t *testing.T) {
	open := browser(t)
	scenarios := []struct {
		name, fragment string
		do             func(p *page)
	}{
		{"first visit", "", func(p *page) {
			p.status("409 Conflict")
			p.line("port: 9090", "monitoring")
			p.sees("#about h2", "Two managers")
		}},
		{"force", "#conflict", func(p *page) {
			p.click(`force .spec.ports[port=9090,protocol="TCP"].targetPort`)
			p.status("200 OK: nothing changes")
			p.line("targetPort: 9090", "web")
			p.sees("#timeline", "3: web forces")
		}},
		{"yield", "#conflict", func(p *page) {
			p.click(`yield .spec.ports[port=9090,protocol="TCP"].targetPort`)
			p.status("200 OK")
			p.lacks(".cm-content", "targetPort: 9090")
			p.click("Apply")
			p.line("targetPort: metrics", "monitoring")
		}},
		{"share", "#conflict", func(p *page) {
			p.click(`share .spec.ports[port=9090,protocol="TCP"].targetPort`)
			p.status("200 OK")
			p.sees(".cm-content", "targetPort: metrics")
			p.click("Apply")
			p.line("targetPort: metrics", "monitoring+web")
		}},
		{"a refused step", "#conflict", func(p *page) {
			p.click("Apply")
			p.sees("#timeline", "3: web applies: refused")
			p.sees("#problems", "Step 3 was refused")
			p.line("targetPort: metrics", "monitoring")
		}},
		{"autoscaler", "#autoscaler", func(p *page) {
			p.status("409 Conflict")
			p.line("replicas: 5", "autoscaler")
			p.click("yield .spec.replicas")
			p.status("200 OK")
			p.click("Apply")
			p.line("replicas: 5", "autoscaler")
		}},
		{"a field that is removed", "#removed", func(p *page) {
			p.status("200 OK: team-a changes the object")
			p.lacks("table.object", "owner: team-a")
			p.line("tier: backend", "team-b")
			p.sees("#problems", "stays because team-b")
		}},
		{"list keys", "#list-keys", func(p *page) {
			p.status("200 OK: udp-team changes the object")
			p.sees("table.object tr.changed", "name: dns")
		}},
		{"custom resource", "#custom-resource", func(p *page) {
			p.status("409 Conflict")
			p.line("role: owner", "platform")
			p.click("share .spec.args")
			p.status("200 OK")
			p.line("role: reader", "nobody (default)")
		}},
		{"a rule", "#O1", func(p *page) {
			p.sees("#about h2", "Rule O1")
			p.sees("#timeline", "refused")
		}},
		{"another rule", "#G3", func(p *page) { p.status("200 OK") }},
		{"all examples", "", func(p *page) {
			for _, id := range eval[[]string](p, `[...document.querySelectorAll("#example option")].map((o) => o.value).filter(Boolean)`) {
				p.choose("#example", id)
				p.wait(`document.getElementById("example").value === ` + quote(id))
				p.sees("table.object", "apiVersion")
			}
		}},
		{"an error in YAML", "#conflict", func(p *page) {
			p.edit("#panel", "a: [\n")
			p.status("would be refused")
			p.sees("#problems .error", "line")
			p.wait(`document.querySelector(".cm-lintRange-error")`)
		}},
		{"an undeclared field", "#conflict", func(p *page) {
			p.edit("#panel", "apiVersion: v1\nkind: Service\nmetadata: {name: shop, namespace: store}\nspec:\n  prots: []\n")
			p.status("would be refused")
			p.sees("#problems .error", "web, line 5")
			p.sees("#problems .error code", ".spec.prots")
		}},
		{"an unknown kind", "#conflict", func(p *page) {
			p.edit("#panel", "apiVersion: v1\nkind: Servcie\nmetadata: {name: a}\n")
			p.status("would be refused")
			p.sees("#problems", "Servcie")
		}},
		{"another object", "#conflict", func(p *page) {
			p.edit("#panel", strings.ReplaceAll(pod, "name: a", "name: other"))
			p.status("would be refused")
		}},
		{"an error that is fixed", "#conflict", func(p *page) {
			before := eval[string](p, `document.querySelector(".cm-content").innerText`)
			p.edit("#panel", "a: [\n")
			p.status("would be refused")
			p.edit("#panel", before)
			p.status("409 Conflict")
			p.wait(`!document.querySelector(".cm-lintRange-error")`)
		}},
		{"start empty", "#conflict", func(p *page) {
			p.click("Start empty")
			p.status("The object does not exist")
			p.edit("#panel", pod)
			p.status("would get 201 Created")
			p.click("Apply")
			p.line(`x: "1"`, "web")
			p.status("nothing changes")
		}},
		{"a live object without managed fields", "#conflict", func(p *page) {
			p.click("Start empty")
			p.click("Live object")
			p.edit("#panel", pod)
			p.sees("table.object", `x: "1"`)
			p.click("web")
			p.edit("#panel", strings.ReplaceAll(pod, `"1"`, `"2"`))
			p.status("409 Conflict")
			p.sees(".conflict", "before-first-apply")
		}},
		{"an error in the live object", "#conflict", func(p *page) {
			p.click("Live object")
			p.edit("#panel", "[")
			p.sees("#problems", "live object")
		}},
		{"a second manager", "#conflict", func(p *page) {
			p.click("Add manager")
			p.wait(`document.activeElement.id === "manager-name"`)
			p.Do(chromedp.KeyEvent("ops"))
			p.sees("[role=tab][aria-selected=true]", "ops")
			p.status("ops would get 200 OK")
		}},
		{"four managers", "#conflict", func(p *page) {
			p.click("Add manager")
			p.click("Add manager")
			p.wait(`document.getElementById("add").disabled`)
		}},
		{"a manager is removed", "#conflict", func(p *page) {
			p.click("Remove the manager web")
			p.lacks("[role=tab]", "web")
		}},
		{"an update", "#conflict", func(p *page) {
			p.choose("#panel select", "update")
			p.status("200 OK: web changes the object")
			p.click("Update")
			p.sees("#timeline", "3: web updates")
		}},
		{"back and forward in the timeline", "#conflict", func(p *page) {
			p.click("Back")
			p.status("After step 1")
			p.lacks("table.object", "targetPort: metrics")
			p.click("Back")
			p.status("201 Created")
			p.click("Forward")
			p.click("Forward")
			p.status("409 Conflict")
		}},
		{"a step in the middle", "#conflict", func(p *page) {
			p.click("1: web applies")
			p.status("After step 1")
			p.click("Apply")
			p.wait(`document.querySelectorAll("#timeline .chip").length === 3`)
		}},
		{"the browser's back button", "#conflict", func(p *page) {
			p.click(`force .spec.ports[port=9090,protocol="TCP"].targetPort`)
			p.sees("#timeline", "3: web forces")
			p.Do(chromedp.Evaluate(`history.back()`, nil))
			p.lacks("#timeline", "3: web forces")
			p.status("409 Conflict")
			p.Do(chromedp.Evaluate(`history.forward()`, nil))
			p.sees("#timeline", "3: web forces")
		}},
		{"a link in a second tab", "#conflict", func(p *page) {
			p.click(`force .spec.ports[port=9090,protocol="TCP"].targetPort`)
			p.sees("#timeline", "3: web forces")
			link := p.url()
			second := open(p.T, strings.TrimPrefix(link, p.base))
			second.sees("#timeline", "3: web forces")
			second.line("targetPort: 9090", "web")
		}},
		{"a damaged link", "#1AAAA", func(p *page) {
			p.sees("#problems", "damaged")
		}},
		{"a link of another page", "#chapter-3", func(p *page) {
			p.sees("#problems", "not made by this page")
		}},
		{"an older release", "#conflict", func(p *page) {
			p.click("Types")
			p.choose("#release", "1.35")
			p.click("web")
			p.status("409 Conflict")
		}},
		{"a CRD is pasted", "", func(p *page) {
			p.click("Start empty")
			p.edit("#panel", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 3}\n")
			p.status("would be refused")
			p.click("Types")
			p.edit("#crds", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec:\n  group: example.com\n  names: {plural: widgets, kind: Widget}\n  scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec: {type: object, properties: {size: {type: integer}, color: {type: string, default: blue}}}\n")
			p.click("web")
			p.status("201 Created")
			p.sees("table.object", "color: blue")
		}},
		{"an error in a CRD", "#custom-resource", func(p *page) {
			p.click("Types")
			p.edit("#crds", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: 3\n")
			p.status("The types have errors")
			p.sees("#problems .error", "CRDs")
		}},
		{"a schema is pasted", "", func(p *page) {
			p.click("Start empty")
			p.click("Types")
			p.edit("#schema", "types:\n- name: thing\n  map:\n    fields:\n    - {name: apiVersion, type: {scalar: string}}\n    - {name: kind, type: {scalar: string}}\n    - {name: metadata, type: {map: {fields: [{name: name, type: {scalar: string}}]}}}\n    - {name: tags, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}\n")
			p.Do(chromedp.SendKeys(`#panel input:not([type])`, "thing", chromedp.ByQuery))
			p.click("web")
			p.edit("#panel", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\ntags: [a, b]\n")
			p.status("201 Created")
			p.line("- a", "web")
		}},
		{"KEP-1929", "#custom-resource", func(p *page) {
			p.click("Types")
			p.Do(chromedp.Click(`fieldset label:nth-of-type(1) input`, chromedp.ByQuery))
			p.click("app")
			p.status("409 Conflict")
			p.wait(`location.hash.length > 100`)
		}},
		{"managed fields", "#conflict", func(p *page) {
			p.wait(`document.querySelector(".fields") && !document.querySelector(".fields").open`)
			p.Do(chromedp.Click(".fields summary", chromedp.ByQuery))
			p.sees(".fields pre", "manager: monitoring")
		}},
		{"offline", "#conflict", func(p *page) {
			p.status("409 Conflict")
			p.Do(network.EmulateNetworkConditions(true, 0, 0, 0))
			p.click(`force .spec.ports[port=9090,protocol="TCP"].targetPort`)
			p.status("200 OK: nothing changes")
		}},
		{"320 pixels", "#conflict", func(p *page) {
			p.Do(emulation.SetDeviceMetricsOverride(320, 700, 1, true))
			p.status("409 Conflict")
			if w := eval[int](p, "document.documentElement.scrollWidth"); w > 320 {
				p.T.Errorf("the page is %d pixels wide", w)
			}
		}},
		{"dark", "#conflict", func(p *page) {
			p.Do(chromium.Prefer("dark"))
			p.status("409 Conflict")
			if eval[string](p, "getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)" {
				p.T.Error("the page is white")
			}
		}},
		{"only the keyboard", "#conflict", func(p *page) {
			p.Do(chromedp.Focus("#tab-1", chromedp.ByQuery))
			p.Press(kb.ArrowLeft)
			p.sees("[role=tab][aria-selected=true]", "monitoring")
			p.Press(kb.End)
			p.sees("[role=tab][aria-selected=true]", "Types")
			p.Press(kb.Home)
			p.sees("[role=tab][aria-selected=true]", "Live object")
			p.Press(kb.ArrowRight)
			p.Press(kb.ArrowRight)
			// Press Tab until the focus is on a button that resolves the conflict. The focus
			// moves to this button from the inputs through the editor.
			p.wait(`document.querySelector(".ways button")`)
			for range 40 {
				if eval[string](p, `document.activeElement.getAttribute("aria-label") ?? ""`) == `force .spec.ports[port=9090,protocol="TCP"].targetPort` {
					break
				}
				p.Press(kb.Tab)
			}
			p.Press(kb.Enter)
			p.status("200 OK: nothing changes")
		}},
		{"a value with markup", "", func(p *page) {
			p.click("Start empty")
			p.edit("#panel", strings.ReplaceAll(pod, `"1"`, `"<img src=x onerror=alert(1)>"`))
			p.status("201 Created")
			p.sees("table.object", "<img src=x")
			p.wait(`!document.querySelector("table.object img")`)
		}},
	}
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) { s.do(open(t, s.fragment)) })
	}
}

// axe returns the text of the tool axe, which checks accessibility.
func axe(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(root, "web/playground/node_modules/axe-core/axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// TestAccessibility checks pages with the tool axe. It must not find a serious problem of
// accessibility.
func TestAccessibility(t *testing.T) {
	open := browser(t)
	script := axe(t)
	for _, scheme := range []string{"light", "dark"} {
		p := open(t, "#conflict")
		p.Do(chromium.Prefer(scheme))
		for _, tab := range []string{"web", "Live object", "Types"} {
			p.click(tab)
			p.sees("[role=tab][aria-selected=true]", tab)
			p.sees("table.object", "apiVersion")
			if found := p.Violations(script); len(found) > 0 {
				t.Errorf("%s, %s: %s", scheme, tab, strings.Join(found, "\n"))
			}
		}
	}
}
