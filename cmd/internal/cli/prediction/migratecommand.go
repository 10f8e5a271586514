// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// A Migration is a "dovetail migrate" command that transfers the fields of some managers to another
// manager.
type Migration struct {
	// objects lists the files of the live objects. If the objects were read from a cluster, it lists
	// them as KIND/NAME, and namespace is their namespace.
	objects     []string
	fromCluster bool
	namespace   string
	from        []string
	to          string
	// subresource is the subresource through which the managers wrote the fields, or "".
	subresource string
	// flags selects the types and the cluster.
	flags *sources.Flags
	// preview is set if the command must not write to a cluster. If two migrations are joined and
	// preview is set for one of them, it is set for the joined migration.
	preview bool
}

// NewMigration returns a migration of a live object. If fromCluster is true, the object was read from
// the cluster that flags selects, and the command writes its result to this cluster.
func NewMigration(live *manifest.Object, fromCluster bool, flags *sources.Flags, from []string, to, subresource string) *Migration {
	m := &Migration{fromCluster: fromCluster && flags.Cluster.Opened() != nil, from: from, to: to, subresource: subresource, flags: flags}
	if m.fromCluster {
		id := live.Identity()
		m.objects, m.namespace = []string{strings.ToLower(id.Kind) + "/" + id.Name}, id.Namespace
		return m
	}
	file := live.Start().File
	if file == input.StdinName {
		file = "-"
	}
	m.objects = []string{file}
	return m
}

// Join adds the objects of other to m. It returns false if these objects need a separate command,
// because the managers or the namespaces differ.
func (m *Migration) Join(other *Migration) bool {
	if m.fromCluster != other.fromCluster || m.namespace != other.namespace || !slices.Equal(m.from, other.from) ||
		m.to != other.to || m.subresource != other.subresource {
		return false
	}
	m.preview = m.preview || other.preview
	for _, object := range other.objects {
		if !slices.Contains(m.objects, object) {
			m.objects = append(m.objects, object)
		}
	}
	return true
}

// Purpose returns a sentence that says what the command does.
func (m *Migration) Purpose() string {
	return fmt.Sprintf("To transfer the fields of %s to %s:", words.And(quoted(m.from)), words.Manager(m.to))
}

// String returns the command line.
func (m *Migration) String() string {
	args := []string{"dovetail", "migrate"}
	for _, object := range m.objects {
		if !m.fromCluster {
			args = append(args, "-f")
		}
		args = append(args, object)
	}
	if m.namespace != "" {
		args = append(args, "-n", m.namespace)
	}
	for _, name := range m.from {
		args = append(args, "--from", name)
	}
	args = append(args, "--to", m.to)
	if m.subresource != "" {
		args = append(args, "--subresource", m.subresource)
	}
	args = append(args, m.flags.Args()...)
	for i := range args {
		args[i] = words.InShell(args[i])
	}
	text := strings.Join(args, " ")
	if m.fromCluster {
		if text += m.flags.Cluster.Opened().Flags(); !m.preview {
			text += " --write"
		}
	}
	return text
}

// Migration returns a migration of the live object of the outcome. It transfers the fields of the
// managers in from to the manager of the request.
func (o *Outcome) Migration(from []string, subresource string) *Migration {
	return NewMigration(o.Live, len(o.Maker.Requests.Live.Names) == 0, &o.Maker.Sources, from, o.Manager, subresource)
}
