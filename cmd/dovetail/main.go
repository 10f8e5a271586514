// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command dovetail does on files what the Kubernetes API server does around a
// server-side apply. See dovetail --help.
package main

import (
	"os"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], cli.System()))
}
