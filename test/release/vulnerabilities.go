// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const govulncheck = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"

// vulnerabilities fails if a module in the tree calls a function with a known vulnerability.
// If the database is not reachable, vulnerabilities prints a note and succeeds.
func vulnerabilities(tree, database string, dirs []string, env []string) error {
	if err := reach(database); err != nil {
		fmt.Printf("govulncheck did NOT run: its database cannot be reached: %v\n", err)
		return nil
	}
	for _, dir := range dirs {
		dir = filepath.Join(tree, dir)
		// If a module requires a newer version of Go, analyze it with that version.
		ask := exec.Command("go", "env", "GOVERSION")
		ask.Dir, ask.Env, ask.Stderr = dir, env, os.Stderr
		version, err := ask.Output()
		if err != nil {
			return err
		}
		cmd := exec.Command("go", "run", govulncheck, "-db", database, "./...")
		cmd.Dir, cmd.Env = dir, append(env, "GOTOOLCHAIN="+strings.TrimSpace(string(version)))
		text, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: govulncheck: %w\n%s", dir, err, text)
		}
	}
	fmt.Printf("govulncheck: %d modules call no function that is known to be vulnerable\n", len(dirs))
	return nil
}

// reach returns an error if the vulnerability database cannot be reached.
func reach(database string) error {
	const index = "/index/db.json"
	if dir, ok := strings.CutPrefix(database, "file://"); ok {
		_, err := os.Stat(dir + index)
		return err
	}
	client := http.Client{Timeout: 20 * time.Second}
	answer, err := client.Get(database + index)
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return errors.New(answer.Status)
	}
	return nil
}
