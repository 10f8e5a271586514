// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// MigrateCommand returns a "dovetail migrate" command that moves the fields of oldManagers to
// newManager. If the old managers wrote through a subresource, subresource is its name. If
// fromCluster is true, the live object was read from the cluster that flags selects, and the
// command writes its result to this cluster. The command uses the same sources of types as flags.
func MigrateCommand(live *manifest.Object, fromCluster bool, flags *sources.Flags, oldManagers []string, newManager, subresource string) string {
	cluster := flags.Cluster.Opened()
	fromCluster = fromCluster && cluster != nil
	args := []string{"dovetail", "migrate"}
	if fromCluster {
		id := live.Identity()
		if args = append(args, strings.ToLower(id.Kind)+"/"+id.Name); id.Namespace != "" {
			args = append(args, "-n", id.Namespace)
		}
	} else {
		file := live.Start().File
		if file == input.StdinName {
			file = "-"
		}
		args = append(args, "-f", file)
	}
	for _, name := range oldManagers {
		args = append(args, "--from", name)
	}
	args = append(args, "--to", newManager)
	if subresource != "" {
		args = append(args, "--subresource", subresource)
	}
	args = append(args, flags.Args()...)
	for i := range args {
		args[i] = words.InShell(args[i])
	}
	text := strings.Join(args, " ")
	if fromCluster {
		text += cluster.Flags() + " --write"
	}
	return text
}

// MigrateCommand returns a "dovetail migrate" command for the live object of the outcome. The
// command moves the fields of oldManagers to newManager.
func (o *Outcome) MigrateCommand(oldManagers []string, newManager, subresource string) string {
	return MigrateCommand(o.Live, len(o.Maker.Requests.Live.Names) == 0, &o.Maker.Sources, oldManagers, newManager, subresource)
}
