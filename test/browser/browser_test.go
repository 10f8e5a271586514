// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

const root = "../.."

// chromium returns the path of the browser.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skip("Chromium not found: install it, or set CHROMIUM to its path")
	return ""
}

// dovetail builds the command once.
var dovetail = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "dovetail-*")
	if err != nil {
		return "", err
	}
	return gocmd.Dovetail(dir, "-tags", "slim")
})

func TestMain(m *testing.M) {
	status := m.Run()
	if path, err := dovetail(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(status)
}

// owners runs the command and returns its output.
func owners(t *testing.T, args ...string) string {
	t.Helper()
	path, err := dovetail()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path, append([]string{"owners", "--time", "2026-12-01T00:00:00Z"}, args...)...)
	c.Dir = root
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	return string(out)
}

// patience is the maximum time for a browser to start on a busy machine.
const patience = 2 * time.Minute

// tab is a tab with a page, in a browser of its own.
type tab struct {
	context.Context
	t *testing.T

	mu       sync.Mutex
	requests []string
	messages []string
}

// open runs owners with args and opens the resulting page.
func open(t *testing.T, setup chromedp.Action, args ...string) *tab {
	t.Helper()
	browser := chromium(t)
	file := filepath.Join(t.TempDir(), "owners.html")
	owners(t, append(args, "--html", file)...)

	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-sync", true),
		chromedp.WindowSize(1200, 900), chromedp.WSURLReadTimeout(patience))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator, chromedp.WithBrowserOption(chromedp.WithDialTimeout(patience)))
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*patience)
	t.Cleanup(cancel)
	p := &tab{Context: ctx, t: t}
	chromedp.ListenTarget(ctx, p.listen)
	if setup == nil {
		setup = chromedp.ActionFunc(func(context.Context) error { return nil })
	}
	p.do(network.Enable(), setup, chromedp.Navigate("file://"+file))
	return p
}

func (p *tab) listen(event any) {
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

func (p *tab) do(actions ...chromedp.Action) {
	p.t.Helper()
	if err := chromedp.Run(p, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// eval evaluates a JavaScript expression and stores the result in to.
func (p *tab) eval(script string, to any) {
	p.t.Helper()
	p.do(chromedp.Evaluate(script, to))
}

// press presses keys, one after the other.
func (p *tab) press(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.do(chromedp.KeyEvent(k))
	}
}

// scheme makes the browser prefer light or dark pages.
func scheme(name string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}})
}

// noAlert counts the calls of alert and does not show them.
func noAlert(ctx context.Context) error {
	_, err := page.AddScriptToEvaluateOnNewDocument(`window.alerts = 0; window.alert = () => { window.alerts++ }`).Do(ctx)
	return err
}
