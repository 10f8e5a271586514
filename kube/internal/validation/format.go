// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"net/netip"
	"strings"
)

// These are the patterns that the server's messages contain.
const (
	labelPattern     = `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
	subdomainPattern = labelPattern + `(\.` + labelPattern + `)*`
	rfc1035Pattern   = `[a-z]([-a-z0-9]*[a-z0-9])?`
	keyPattern       = `([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]`
)

const (
	labelMessage     = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
	subdomainMessage = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
	rfc1035Message   = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
	keyMessage       = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
	valueMessage     = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
	envMessage       = "a valid environment variable name must consist only of printable ASCII characters other than '='"
	dataKeyMessage   = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
	wildcardMessage  = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
)

// These are the maximum lengths that formats allow.
const (
	maxLabel     = 63
	maxSubdomain = 253
	maxPortName  = 15
)

// A format checks a text. It returns the reasons why the text is invalid, or nothing if the text is
// valid.
type format func(text string) []string

// formats maps the names of formats in tables to the functions that check them.
var formats = map[string]format{
	"label":     isLabel,
	"subdomain": isSubdomain,
	"rfc1035":   isRFC1035,
	"segment":   isSegment,
	"key":       isKey,
	"caseless":  func(s string) []string { return isSubdomain(strings.ToLower(s)) },
	"anycase":   func(s string) []string { return isKey(strings.ToLower(s)) },
	"value":     isLabelValue,
	"portname":  isPortName,
	"env":       isEnvName,
	"datakey":   isDataKey,
	"ip":        isIP,
	"cidr":      isCIDR,
}

func lower(c byte) bool { return 'a' <= c && c <= 'z' }

func digit(c byte) bool { return '0' <= c && c <= '9' }

func lowerOrDigit(c byte) bool { return lower(c) || digit(c) }

func alphanumeric(c byte) bool { return lowerOrDigit(c) || 'A' <= c && c <= 'Z' }

// bounded reports whether a text is not empty and consists of allowed characters. The function
// outer accepts characters at the beginning and at the end. The function inner accepts characters
// everywhere else.
func bounded(s string, outer, inner func(byte) bool) bool {
	if s == "" || !outer(s[0]) || !outer(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if !inner(s[i]) {
			return false
		}
	}
	return true
}

func inLabel(c byte) bool { return lowerOrDigit(c) || c == '-' }

func inKey(c byte) bool { return alphanumeric(c) || c == '-' || c == '_' || c == '.' }

func labelLike(s string) bool { return bounded(s, lowerOrDigit, inLabel) }

func subdomainLike(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !labelLike(part) {
			return false
		}
	}
	return true
}

// describePattern appends examples and a regular expression to a message.
func describePattern(message, pattern string, examples ...string) string {
	for i, e := range examples {
		if i == 0 {
			message += " (e.g. "
		} else {
			message += " or "
		}
		message += "'" + e + "', "
	}
	return message + "regex used for validation is '" + pattern + "')"
}

// tooLong returns a message if a text is longer than n. unit is "bytes" or "characters".
func tooLong(s string, n int, unit string) (why []string) {
	if len(s) > n {
		why = append(why, fmt.Sprintf("must be no more than %d %s", n, unit))
	}
	return why
}

func isLabel(s string) []string {
	why := tooLong(s, maxLabel, "characters")
	switch {
	case labelLike(s):
	case subdomainLike(s):
		why = append(why, "must not contain dots")
	default:
		why = append(why, describePattern(labelMessage, labelPattern, "my-name", "123-abc"))
	}
	return why
}

func isSubdomain(s string) []string { return subdomainIn(s, "characters") }

func subdomainIn(s, unit string) []string {
	why := tooLong(s, maxSubdomain, unit)
	if !subdomainLike(s) {
		why = append(why, describePattern(subdomainMessage, subdomainPattern, "example.com"))
	}
	return why
}

func isRFC1035(s string) []string {
	why := tooLong(s, maxLabel, "characters")
	if !labelLike(s) || !lower(s[0]) {
		why = append(why, describePattern(rfc1035Message, rfc1035Pattern, "my-name", "abc-123"))
	}
	return why
}

// isSegment checks a name that must fit into one segment of a URL path.
func isSegment(s string) (why []string) {
	if s == "." || s == ".." {
		return []string{"may not be '" + s + "'"}
	}
	for _, c := range []string{"/", "%"} {
		if strings.Contains(s, c) {
			why = append(why, "may not contain '"+c+"'")
		}
	}
	return why
}

// isKey checks a label key, an annotation key or a finalizer: a name with an optional
// domain in front. For an invalid key, it returns the server's messages.
func isKey(s string) (why []string) {
	domain, name, qualified := strings.Cut(s, "/")
	switch {
	case !qualified:
		name = s
	case strings.Contains(name, "/"):
		return []string{"a valid label key " + describePattern(keyMessage, keyPattern, "MyName", "my.name", "123-abc") + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}
	case domain == "":
		why = append(why, "prefix part must be non-empty")
	default:
		for _, m := range subdomainIn(domain, "bytes") {
			why = append(why, "prefix part "+m)
		}
	}
	if name == "" {
		why = append(why, "name part must be non-empty")
	}
	for _, m := range tooLong(name, maxLabel, "bytes") {
		why = append(why, "name part "+m)
	}
	if !bounded(name, alphanumeric, inKey) {
		why = append(why, "name part "+describePattern(keyMessage, keyPattern, "MyName", "my.name", "123-abc"))
	}
	return why
}

func isLabelValue(s string) []string {
	why := tooLong(s, maxLabel, "bytes")
	if s != "" && !bounded(s, alphanumeric, inKey) {
		why = append(why, describePattern(valueMessage, "("+keyPattern+")?", "MyValue", "my_value", "12345"))
	}
	return why
}

func isPortName(s string) []string {
	why := tooLong(s, maxPortName, "characters")
	letters, others := false, s == ""
	for i := range len(s) {
		letters = letters || lower(s[i])
		others = others || !inLabel(s[i])
	}
	if others {
		why = append(why, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
	}
	if !letters {
		why = append(why, "must contain at least one letter (a-z)")
	}
	if strings.Contains(s, "--") {
		why = append(why, "must not contain consecutive hyphens")
	}
	if strings.HasPrefix(s, "-") || strings.HasSuffix(s, "-") {
		why = append(why, "must not begin or end with a hyphen")
	}
	return why
}

func isEnvName(s string) []string {
	if s == "" {
		return []string{"environment variable name must be non-empty"}
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '=' {
			return []string{envMessage}
		}
	}
	return nil
}

// isDataKey checks a key in the data of a ConfigMap or Secret.
func isDataKey(s string) []string {
	why := tooLong(s, maxSubdomain, "characters")
	if !bounded(s, inKey, inKey) {
		why = append(why, describePattern(dataKeyMessage, `[-._a-zA-Z0-9]+`, "key.name", "KEY_NAME", "key-name"))
	}
	switch {
	case s == "." || s == "..":
		why = append(why, "must not be '"+s+"'")
	case strings.HasPrefix(s, ".."):
		why = append(why, "must not start with '..'")
	}
	return why
}

func isIP(s string) []string {
	if a, err := netip.ParseAddr(withoutZeros(s)); err != nil || a.Zone() != "" {
		return []string{"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"}
	}
	return nil
}

func isCIDR(s string) []string {
	if _, err := netip.ParsePrefix(withoutZeros(s)); err != nil {
		return []string{"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"}
	}
	return nil
}

// withoutZeros removes leading zeros from the numbers of an IPv4 address. Servers accept such zeros
// in old fields.
func withoutZeros(s string) string {
	if strings.Contains(s, ":") || !strings.Contains(s, "0") {
		return s
	}
	parts := strings.Split(s, ".")
	for i, part := range parts {
		for len(part) > 1 && part[0] == '0' && digit(part[1]) {
			part = part[1:]
		}
		parts[i] = part
	}
	return strings.Join(parts, ".")
}
