// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

// Root returns the root command, so that tests can visit all commands.
func Root() *cobra.Command { return newRoot(&command.Run{}) }
