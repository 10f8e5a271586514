// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers_test

import (
	"fmt"
	"log"

	"github.com/dovetail-ssa/dovetail/gen/internal/markers"
)

func ExampleLoad() {
	src, err := markers.Load(markers.Config{Dir: "testdata/example"}, "./...")
	if err != nil {
		log.Fatal(err) // the packages cannot be read
	}
	for _, f := range src.Check() {
		fmt.Println(f)
	}
	// Output:
	// api/types.go:6: default-syntax: the default of Service.Protocol cannot be read: expected one line of JSON, got TCP: invalid character 'T' looking for beginning of value; write strings in double quotes: "TCP"
	// api/types.go:9: default-omitempty: Service.Port has the default 80 but lacks omitempty: a Go client always sends at least 0, so the server never applies the default, but generated Go code does; add omitempty to its json tag, or make it a pointer
}

func ExampleSource_Fix() {
	src, err := markers.Load(markers.Config{Dir: "testdata/example"}, "./...")
	if err != nil {
		log.Fatal(err)
	}
	files, err := src.Fix(src.Check())
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range files {
		fmt.Printf("%s", text)
	}
	// Output:
	// // Package api has a type with two mistakes.
	// package api
	//
	// // Service is reached at its ports.
	// type Service struct {
	// 	// +default="TCP"
	// 	Protocol string `json:"protocol,omitempty"`
	//
	// 	// +default=80
	// 	Port int32 `json:"port,omitempty"`
	//
	// 	// +default="ClusterIP"
	// 	Type string `json:"type,omitempty"`
	// }
}

func ExampleParseJSON() {
	v, err := markers.ParseJSON(`[{"port": 80, "ratio": 0.5}]`)
	fmt.Println(markers.JSON(v), err)
	_, err = markers.ParseJSON(`{"port": 80} [1]`)
	fmt.Println(err)
	// Output:
	// [{"port":80,"ratio":0.5}] <nil>
	// unexpected text after the value: [1]
}
