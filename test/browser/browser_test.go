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

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/dovetail-ssa/dovetail/test/internal/chromium"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

const root = "../.."

// dovetail builds the command once and returns the path of the program.
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

// owners runs "dovetail owners" and returns its output.
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

// open runs "dovetail owners" with args and opens the resulting page in a new browser.
func open(t *testing.T, setup chromedp.Action, args ...string) *chromium.Tab {
	t.Helper()
	chromium.Find(t)
	file := filepath.Join(t.TempDir(), "owners.html")
	owners(t, append(args, "--html", file)...)
	p := chromium.Open(t, chromium.Start(t, 1200, 900))
	if setup != nil {
		p.Do(setup)
	}
	p.Do(chromedp.Navigate("file://" + file))
	return p
}

// noAlert makes alert count its calls instead of showing a dialog.
func noAlert(ctx context.Context) error {
	_, err := page.AddScriptToEvaluateOnNewDocument(`window.alerts = 0; window.alert = () => { window.alerts++ }`).Do(ctx)
	return err
}
