// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build slim

package serve

import (
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
)

func (o *options) serve(*command.Run) error { return sources.NeedsRules("to serve") }
