// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build slim

package cluster

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

func dial(*command.Run, *Flags) (*Cluster, error) {
	return nil, errors.New("this dovetail cannot read from a cluster, because it was built with the tag slim: build it without the tag")
}
