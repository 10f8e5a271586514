// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// Answer is the result of a step, without the values that always differ between two servers.
type Answer struct {
	Status int
	Body   string
}

// passing lists patterns for values that differ from run to run, such as times and random
// names, with their replacements. The patterns match JSON and the YAML output of kubectl diff.
var passing = []struct {
	in *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}`), "TIME"},
	{regexp.MustCompile(`("?uid"?: ?"?)[0-9a-f-]{36}`), "${1}UID"},
	{regexp.MustCompile(`("?resourceVersion"?: ?)"\d+"`), `${1}"N"`},
	{regexp.MustCompile(`\b10\.0\.0\.\d+`), "IP"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "HOST"},
	{regexp.MustCompile(`/(LIVE|MERGED)-\d+/`), "/$1/"},
}

// NewAnswer returns the answer for an HTTP status and body, without differences that do not
// matter between two servers. It replaces times, random names and similar values. It sorts
// managedFields, because a server sorts them by time. It sorts the causes of a conflict, because
// structured-merge-diff returns them in random order. All other bytes stay the same.
func NewAnswer(status int, body []byte) (Answer, error) {
	var object struct {
		Metadata struct {
			ManagedFields []json.RawMessage
		}
		Details struct {
			Causes []json.RawMessage
		}
	}
	if json.Unmarshal(body, &object) == nil {
		for _, list := range [][]json.RawMessage{object.Metadata.ManagedFields, object.Details.Causes} {
			var err error
			if body, err = sortList(body, list); err != nil {
				return Answer{}, err
			}
		}
	}
	text := string(body)
	for _, p := range passing {
		text = p.in.ReplaceAllString(text, p.as)
	}
	return Answer{Status: status, Body: text}, nil
}

// allotted lists patterns for text that a real server and the test server return differently,
// with the replacements. For example, only a real server allocates addresses for a Service. The
// patterns match compact JSON.
var allotted = []struct {
	in *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`"clusterIP":"[\d.]+","clusterIPs":\["[\d.]+"\],`), ""},
	{regexp.MustCompile(`"ipFamilies":\["IPv4"\],`), ""},
	{regexp.MustCompile(`(failed to create typed patch object \()[^/]*/`), "$1/"},
	{regexp.MustCompile(`(Duplicate value: )(\{(\\"|[^"])*\}|found \{[^}]*\} twice)`), "${1}IT"},
}

// Sorted returns a JSON body in which the fields of each object are sorted, so that the answers
// of a real server and of the test server can be compared. It also replaces text that the test
// server does not produce, or produces in a different form, such as the cluster IP of a
// Service. If the body is not JSON, Sorted returns it unchanged.
func Sorted(body []byte) []byte {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return body
	}
	sorted, err := json.Marshal(v)
	if err != nil {
		return body
	}
	for _, a := range allotted {
		sorted = a.in.ReplaceAll(sorted, []byte(a.as))
	}
	return sorted
}

// sortList sorts a list inside body. It compares the bytes of the entries, but ignores their
// times.
func sortList(body []byte, entries []json.RawMessage) ([]byte, error) {
	if len(entries) < 2 {
		return body, nil
	}
	first, last := entries[0], entries[len(entries)-1]
	from := bytes.Index(body, first)
	to := bytes.LastIndex(body, last) + len(last)
	if from < 0 || to < from {
		return nil, fmt.Errorf("cannot find a list of %d entries in %s", len(entries), body)
	}
	time := passing[0].in
	slices.SortFunc(entries, func(a, b json.RawMessage) int {
		return bytes.Compare(time.ReplaceAll(a, nil), time.ReplaceAll(b, nil))
	})
	sorted := slices.Clone(body[:from])
	for i, e := range entries {
		if i > 0 {
			sorted = append(sorted, ',')
		}
		sorted = append(sorted, e...)
	}
	return append(sorted, body[to:]...), nil
}
