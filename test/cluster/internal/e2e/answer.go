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

// Answer is what came of a step, with what differs between any two servers
// taken out.
type Answer struct {
	Status int
	Body   string
}

// passing are the values that no two servers have in common: times, and what is
// drawn at random: in JSON, and in the YAML that kubectl diff compares.
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

// NewAnswer makes an answer of an HTTP status and body. It takes out what
// passes. Otherwise the bytes stay as the server wrote them, but for two orders:
// that of managedFields depends on the second in which a request arrived, and
// that of the causes of a conflict is the order of a Go map in upstream's engine.
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

// allotted is what a server allots to a Service, and words are those of errors that the test server says otherwise,
// in JSON without blanks.
var allotted = []struct {
	in *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`"clusterIP":"[\d.]+","clusterIPs":\["[\d.]+"\],`), ""},
	{regexp.MustCompile(`"ipFamilies":\["IPv4"\],`), ""},
	{regexp.MustCompile(`(failed to create typed patch object \()[^/]*/`), "$1/"},
	{regexp.MustCompile(`(Duplicate value: )(\{(\\"|[^"])*\}|found \{[^}]*\} twice)`), "${1}IT"},
}

// Sorted is body, if it is JSON, with the fields of each object in order, and without what the test server
// does not do, or says in other words.
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

// sortList sorts a list inside body by the bytes of its entries, whose times do
// not count.
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
