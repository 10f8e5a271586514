// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"
	"time"
)

// readTime reads a time stamp, which holds whole seconds.
func readTime(v any) (time.Time, string, error) {
	text, ok := v.(string)
	if !ok {
		return time.Time{}, "", fmt.Errorf("want a string, got %s", kindOf(v))
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, "", fmt.Errorf("want a time such as 2006-01-02T15:04:05Z, got %q", text)
	}
	return t, text, nil
}

func writeTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func seconds(t *time.Time) int64 {
	if t == nil {
		return 0
	}
	return t.Unix()
}

func sameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}
