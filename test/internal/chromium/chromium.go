// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package chromium opens web pages in Chromium for tests. It records the requests of a page,
// and the errors and messages in its console.
package chromium

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a browser may take to start. It allows for a busy machine.
const patience = 2 * time.Minute

// Find returns the path of Chromium. If Chromium is not installed, it skips the test.
func Find(t testing.TB) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skip("Chromium not found: install it, or set CHROMIUM to its path")
	return ""
}

// Start starts a browser, which stops at the end of the test. Open opens tabs in this browser.
func Start(t testing.TB, width, height int) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(Find(t)), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-sync", true),
		chromedp.WindowSize(width, height), chromedp.WSURLReadTimeout(patience))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	browser, cancel := chromedp.NewContext(allocator, chromedp.WithBrowserOption(chromedp.WithDialTimeout(patience)))
	t.Cleanup(cancel)
	if err := chromedp.Run(browser); err != nil {
		t.Fatal(err)
	}
	return browser
}

// Tab is a tab of a browser. It is closed at the end of its test.
type Tab struct {
	context.Context
	T testing.TB

	mu                 sync.Mutex
	requests, messages []string
}

// Open opens an empty tab.
func Open(t testing.TB, browser context.Context) *Tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*patience)
	t.Cleanup(cancel)
	p := &Tab{Context: ctx, T: t}
	chromedp.ListenTarget(ctx, p.listen)
	p.Do(network.Enable(), runtime.Enable())
	return p
}

func (p *Tab) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		p.messages = append(p.messages, e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		for _, a := range e.Args {
			p.messages = append(p.messages, string(a.Value))
		}
	}
}

// Requests returns the URLs that the page has requested.
func (p *Tab) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests
}

// Messages returns the errors and the console messages of the page.
func (p *Tab) Messages() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.messages
}

// Do runs actions. If an action fails, the test fails.
func (p *Tab) Do(actions ...chromedp.Action) {
	p.T.Helper()
	if err := chromedp.Run(p, actions...); err != nil {
		p.T.Fatal(err)
	}
}

// Eval evaluates a JavaScript expression and stores the result in the variable to which the
// second argument points.
func (p *Tab) Eval(script string, to any) {
	p.T.Helper()
	p.Do(chromedp.Evaluate(script, to))
}

// Screenshot writes a picture of the whole page to a file.
func (p *Tab) Screenshot(file string) {
	p.T.Helper()
	var image []byte
	p.Do(chromedp.FullScreenshot(&image, 100))
	if err := os.WriteFile(file, image, 0o644); err != nil {
		p.T.Fatal(err)
	}
}

// Prefer returns an action that sets the preferred color scheme, "light" or "dark".
func Prefer(scheme string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}})
}

// Violations returns the accessibility problems that the tool axe finds. script is the text of
// axe.min.js.
func (p *Tab) Violations(script string) (found []string) {
	p.T.Helper()
	p.Do(chromedp.Evaluate(script, nil),
		chromedp.Evaluate(`axe.run().then((r) => r.violations.map((v) => v.impact + " " + v.id + " " + v.nodes.map((n) => n.target).join(" ")))`, &found,
			func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }))
	return found
}

// Press presses keys, one after the other.
func (p *Tab) Press(keys ...string) {
	p.T.Helper()
	for _, k := range keys {
		p.Do(chromedp.KeyEvent(k))
	}
}
