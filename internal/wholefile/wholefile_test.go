// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package wholefile

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestWriteFile checks that a link stays a link, that a file keeps its mode, and that a pipe
// gets the content. No other file may remain.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(in("secret"), []byte("old"), 0o600))
	must(os.Symlink("secret", in("link")))
	must(os.Symlink("nowhere", in("dangling")))
	must(syscall.Mkfifo(in("pipe"), 0o600))
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)

	pipe, err := os.OpenFile(in("pipe"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	must(err)
	for _, name := range []string{"new", "link", "pipe"} {
		must(Write(in(name), []byte("text of "+name), ForAll))
	}
	if got, err := io.ReadAll(pipe); err != nil || string(got) != "text of pipe" {
		t.Errorf("the pipe has %q, %v", got, err)
	}
	for name, want := range map[string]struct {
		text string
		mode os.FileMode
	}{"new": {"text of new", 0o640}, "secret": {"text of link", 0o600}} {
		text, err := os.ReadFile(in(name))
		must(err)
		info, err := os.Lstat(in(name))
		must(err)
		if string(text) != want.text || info.Mode() != want.mode {
			t.Errorf("%s has %q, mode %v", name, text, info.Mode())
		}
	}
	for name, kind := range map[string]os.FileMode{"link": os.ModeSymlink, "pipe": os.ModeNamedPipe} {
		info, err := os.Lstat(in(name))
		must(err)
		if info.Mode().Type() != kind {
			t.Errorf("%s is %v now", name, info.Mode())
		}
	}
	for name, want := range map[string]string{
		"dangling": "is a link to a file that does not exist", ".": "is a directory", "no/such": "no such file or directory", "new/x": "not a directory",
	} {
		if err := Write(in(name), nil, ForAll); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	left, err := os.ReadDir(dir)
	must(err)
	if len(left) != 5 {
		t.Errorf("left behind: %v", left)
	}
}
