// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package playground implements the command playground. The command serves the playground to a
// browser on this machine. The playground is a page that runs the engine.
package playground

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

// files lists the files that the page needs.
var files = []string{"index.html", "app.js", "engine.wasm"}

// New returns the command playground.
func New(r *command.Run) *cobra.Command {
	var listen, dir string
	c := &cobra.Command{
		Use:   "playground [DIRECTORY]",
		Short: "Serve the playground, a page to try server-side apply",
		Long: `Serve the playground to a browser on this machine. The playground is a page that shows what a
server-side apply does, who owns each field, and how to resolve a conflict. The engine runs in
the browser, and the page sends no data to a server.

DIRECTORY contains the files of the playground. The default is the directory "playground" next
to the program. In a clone of Dovetail, "node web/playground/build.mjs" creates the files in
web/playground/dist. Any other web server can serve the directory too.

The command prints the address of the page. To stop it, press Ctrl+C.

Exit status: 3 if there is no playground in DIRECTORY, or if the address is not available.`,
		Example: `  dovetail playground web/playground/dist`,
	}
	c = r.Command(c, func() error { return serve(r, listen, dir) })
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return command.Usagef("unexpected argument %q: give only one directory", args[1])
		}
		dir = ""
		if len(args) == 1 {
			dir = args[0]
		}
		return nil
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "`address` to listen on; port 0 selects a free port")
	return c
}

func serve(r *command.Run, listen, dir string) error {
	if dir == "" {
		program, err := os.Executable()
		if err != nil {
			return err
		}
		dir = filepath.Join(filepath.Dir(program), "playground")
	}
	for _, name := range files {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("there is no playground in %s, because it has no %s: name the directory that \"node web/playground/build.mjs\" created", dir, name)
			}
			return err
		}
	}
	if _, _, err := net.SplitHostPort(listen); err != nil {
		return command.Usagef("--listen %q: write HOST:PORT", listen)
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	s := &http.Server{Handler: Handler(os.DirFS(dir)), ReadHeaderTimeout: 10 * time.Second}
	defer s.Close()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if _, err := fmt.Fprintf(r.Env.Stdout, "http://%s/\n", l.Addr()); err != nil {
		return err
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return nil
	}
}

// Handler returns a handler that serves files. Browsers must ask the server whether a cached file
// is still current, because the files of a newer playground have the same names.
func Handler(files fs.FS) http.Handler {
	server := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "frame-ancestors 'none'")
		if q.Method != http.MethodGet && q.Method != http.MethodHead {
			http.Error(w, "only GET and HEAD are allowed", http.StatusMethodNotAllowed)
			return
		}
		server.ServeHTTP(w, q)
	})
}
