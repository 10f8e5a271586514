// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managedfields

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/internal/jsoniter"
)

// An Operation is the kind of request through which a manager owns fields: OperationApply or
// OperationUpdate.
type Operation string

// These are the operations of managed fields.
const (
	OperationApply  Operation = "Apply"
	OperationUpdate Operation = "Update"
)

// An Owner identifies one entry of managed fields.
type Owner struct {
	Manager     string
	Operation   Operation
	APIVersion  string
	Subresource string
}

// ID returns the identifier of the owner in fieldpath.ManagedFields and merge.Conflicts. It is
// the same JSON as in the API server. The identifier of an Apply does not contain the API
// version, so a manager that applies in several versions has only one entry.
func (o Owner) ID() string {
	if o.Operation == OperationApply {
		o.APIVersion = ""
	}
	var room [160]byte
	b := append(room[:0], '{')
	b = appendMember(b, "manager", o.Manager)
	b = appendMember(b, "operation", string(o.Operation))
	b = appendMember(b, "apiVersion", o.APIVersion)
	b = appendMember(b, "subresource", o.Subresource)
	return string(append(b, '}'))
}

// ParseOwner parses an identifier that Owner.ID returned. For an Apply, the API version of the
// result is empty. ParseOwner returns an error if id is not a JSON object, or if the member
// "manager", "operation", "apiVersion" or "subresource" is not a string. It ignores other
// members.
func ParseOwner(id string) (Owner, error) {
	if o, ok := parsePlain(id); ok {
		return o, nil
	}
	var entry struct {
		Manager     string    `json:"manager"`
		Operation   Operation `json:"operation"`
		APIVersion  string    `json:"apiVersion"`
		Subresource string    `json:"subresource"`
	}
	if err := json.Unmarshal([]byte(id), &entry); err != nil {
		return Owner{}, fmt.Errorf("manager identifier %q: expected a result of Owner.ID, such as %s: %w", id, Owner{Manager: "web", Operation: OperationApply}.ID(), err)
	}
	return Owner(entry), nil
}

// parsePlain parses an identifier without escapes. Almost all identifiers have no escapes. ok is
// false if parsePlain cannot parse id.
func parsePlain(id string) (o Owner, ok bool) {
	rest, ok := strings.CutPrefix(id, "{")
	if !ok {
		return o, false
	}
	for _, member := range []struct {
		name string
		to   *string
	}{
		{`"manager":"`, &o.Manager},
		{`"operation":"`, (*string)(&o.Operation)},
		{`"apiVersion":"`, &o.APIVersion},
		{`"subresource":"`, &o.Subresource},
	} {
		value, has := strings.CutPrefix(rest, member.name)
		if !has {
			continue
		}
		end := strings.IndexAny(value, "\"\\")
		if end < 0 || value[end] == '\\' {
			return Owner{}, false
		}
		*member.to, rest = value[:end], value[end+1:]
		if next, more := strings.CutPrefix(rest, ","); more && strings.HasPrefix(next, `"`) {
			rest = next
		} else if rest != "}" {
			return Owner{}, false
		}
	}
	return o, rest == "}" && utf8.ValidString(id) && !strings.ContainsFunc(id, unicode.IsControl)
}

// String describes the owner as the API server's conflict messages do. For an Update, an example
// is: "kubelet" with subresource "status" using v1. For an Apply, the text has no API version.
func (o Owner) String() string {
	s := strconv.Quote(o.Manager)
	if o.Subresource != "" {
		s += " with subresource " + strconv.Quote(o.Subresource)
	}
	if o.Operation == OperationUpdate {
		s += " using " + o.APIVersion
	}
	return s
}

// appendMember appends a member of a JSON object. If the value is empty, it appends nothing. The output
// is the same as from encoding/json, including HTML escapes, because identifiers must equal those of
// the API server byte for byte.
func appendMember(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	if len(b) > 1 {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	b = append(b, '"', ':')
	return jsoniter.AppendQuoted(b, value, jsoniter.Standard)
}
