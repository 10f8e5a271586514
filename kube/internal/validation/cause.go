// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// These are the types of causes that a server returns in a Status.
const (
	Required     = "FieldValueRequired"
	Invalid      = "FieldValueInvalid"
	NotSupported = "FieldValueNotSupported"
	Forbidden    = "FieldValueForbidden"
	TooLong      = "FieldValueTooLong"
	TooMany      = "FieldValueTooMany"
	Duplicate    = "FieldValueDuplicate"
)

// Cause describes one value that a server rejects.
type Cause struct {
	// Type is one of the constants of this package.
	Type string
	// Field is the path as the server's message shows it, such as metadata.labels or
	// spec.containers[0].name.
	Field string
	// Key is a key in the map at Field, if the problem is this key or its value. If the whole field
	// is invalid, Key is "".
	Key string
	// Message describes the problem, without the field.
	Message string
	// Undecodable is true if Go cannot decode the value.
	Undecodable bool
}

// withDetail returns start, followed by a colon and the detail if there is one.
func withDetail(start, detail string) string {
	if detail == "" {
		return start
	}
	return start + ": " + detail
}

func required(field, detail string) Cause {
	return Cause{Type: Required, Field: field, Message: withDetail("Required value", detail)}
}

func forbidden(field, detail string) Cause {
	return Cause{Type: Forbidden, Field: field, Message: withDetail("Forbidden", detail)}
}

func invalid(field string, value any, detail string) Cause {
	return Cause{Type: Invalid, Field: field, Message: withDetail("Invalid value: "+show(value), detail)}
}

func duplicate(field string, value any) Cause {
	return Cause{Type: Duplicate, Field: field, Message: "Duplicate value: " + show(value)}
}

func notSupported(field string, value any, supported []string) Cause {
	quoted := make([]string, len(supported))
	for i, s := range supported {
		quoted[i] = strconv.Quote(s)
	}
	return Cause{Type: NotSupported, Field: field, Message: withDetail("Unsupported value: "+show(value), "supported values: "+strings.Join(quoted, ", "))}
}

// show formats a value for messages: a string in quotes, any other value as JSON.
func show(value any) string {
	switch v := value.(type) {
	case string:
		return strconv.Quote(v)
	case int, int64, bool:
		return fmt.Sprint(v)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
