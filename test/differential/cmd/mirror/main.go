// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command mirror writes engine/ours, engine/upstream4 and v7/upstream7 from engine/upstream.
package main

import (
	"fmt"
	"os"

	"github.com/dovetail-ssa/dovetail/test/differential/engine/mirror"
)

func main() {
	files, err := mirror.Files("engine")
	for name, text := range files {
		if err == nil {
			err = os.WriteFile(name, []byte(text), 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
