// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"time"
)

// age returns how long ago at was, in one unit: 45s, 30m, 5h, 12d, 3y. It is
// "?" if that is not known, and 0s of what is yet to come.
func age(now time.Time, at *time.Time) string {
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
