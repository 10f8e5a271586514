// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/program"
)

// named matches an exit status in a help text.
var named = regexp.MustCompile(`(?:Exit status: |; )([0-9])\s`)

// The table of exit statuses in docs/ci.md has every command, with the statuses that the help of
// the command names. TestScripts checks that commands end with these statuses.
func TestStatusesAreDocumented(t *testing.T) {
	table, err := program.Statuses("../../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]int{}
	for status := command.StatusDone; status <= command.StatusImmutable; status++ {
		for cell := range table {
			if cell.Status == status {
				rows[cell.Command] = append(rows[cell.Command], status)
			}
		}
	}
	var names []string
	for _, c := range commands()[1:] {
		name := c.Name()
		if name == "help" || c.HasParent() && c.Parent().HasParent() {
			continue
		}
		names = append(names, name)
		var got []int
		_, text, found := strings.Cut(c.Long, "Exit status: ")
		for _, m := range named.FindAllStringSubmatch("Exit status: "+text, -1) {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, n)
		}
		more := slices.ContainsFunc(rows[name], func(n int) bool { return n != command.StatusDone && n != command.StatusInvalid })
		if (found || more) && !slices.Equal(got, rows[name]) {
			t.Errorf("the help of %s names the statuses %v, docs/ci.md %v", name, got, rows[name])
		}
	}
	slices.Sort(names)
	if got := slices.Sorted(maps.Keys(rows)); !slices.Equal(got, names) {
		t.Errorf("docs/ci.md has the statuses of %q, there are %q", got, names)
	}
}
