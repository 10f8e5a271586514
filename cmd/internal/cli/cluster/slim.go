// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build slim

package cluster

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

func dial(*command.Run, *Flags) (*Cluster, error) {
	return nil, errors.New("this dovetail was built with the tag slim and has no client for clusters; to read from a cluster, build it without the tag")
}
