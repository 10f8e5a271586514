// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package words

import (
	"fmt"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Owner formats an owner with its operation, version, subresource and time, on one line. It quotes
// unusual names, as the function Manager does.
func Owner(o managedfields.Owner, at *time.Time) string {
	s := fmt.Sprintf("%s (%s, %s", Manager(o.Manager), OneLine(string(o.Operation)), OneLine(string(o.APIVersion)))
	if o.Subresource != "" {
		s += ", subresource " + Manager(o.Subresource)
	}
	if at != nil {
		s += ", " + at.UTC().Format(time.RFC3339)
	}
	return s + ")"
}

// Owners formats the owners of entries. It returns "nobody" if there are none.
func Owners(entries []managedfields.Entry) string {
	if len(entries) == 0 {
		return "nobody"
	}
	owners := make([]string, len(entries))
	for i, e := range entries {
		owners[i] = Owner(e.Owner, e.Time)
	}
	return strings.Join(owners, ", ")
}

// Manager formats the name of a manager in a sentence. It quotes a name that contains spaces,
// commas or other characters that could be misread.
func Manager(name string) string {
	if name == "" || strings.ContainsFunc(name, func(c rune) bool {
		return unicode.IsSpace(c) || !unicode.IsPrint(c) || c == '"' || c == ',' || c == utf8.RuneError
	}) {
		return strconv.Quote(name)
	}
	return name
}

// Age returns how long ago the time at was, in one unit, such as 45s, 30m, 5h, 12d or 3y. It
// returns "?" if at is nil, and "0s" if at is in the future.
func Age(now time.Time, at *time.Time) string {
	if at == nil {
		return "?"
	}
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	d := max(0, now.Sub(*at))
	for _, u := range []struct {
		unit time.Duration
		name string
		from time.Duration
	}{
		{year, "y", 2 * year}, {day, "d", 2 * day}, {time.Hour, "h", 2 * time.Hour}, {time.Minute, "m", 2 * time.Minute},
	} {
		if d >= u.from {
			return fmt.Sprintf("%d%s", d/u.unit, u.name)
		}
	}
	return fmt.Sprintf("%ds", d/time.Second)
}
