// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// group is a part of the list of commands.
type group struct {
	title    string
	commands []string
}

// groups are the groups in the list of commands, in their order. A command without a group is
// in the last group.
var groups = []group{
	{"Predict requests", []string{"apply", "update", "diff"}},
	{"Field ownership", []string{"owners", "extract", "doctor", "migrate", "undo"}},
	{"Objects", []string{"validate", "default", "immutable"}},
	{"CRDs and types", []string{"schema", "lint", "cel", "upgrade-check"}},
	{"Tests", []string{"serve"}},
	{"Learn", []string{"playground"}},
	{"More", nil},
}

// commonFlags are the flags in the short help, by command. Commands that are not listed are small:
// their short help shows everything.
var commonFlags = map[string][]string{
	"apply":         {"filename", "live", "context", "field-manager", "force-conflicts", "yield", "share", "write", "output"},
	"update":        {"filename", "live", "context", "field-manager", "subresource", "output"},
	"diff":          {"filename", "live", "context", "field-manager", "force-conflicts", "yield", "share", "explain"},
	"default":       {"filename", "crd", "kubernetes-version", "zero", "output"},
	"validate":      {"filename", "crd", "context", "kubernetes-version", "owned-defaults", "output"},
	"immutable":     {"old", "new", "crd", "kubernetes-version", "immutability-markers", "output"},
	"lint":          {"fix", "min-severity", "rules", "baseline", "write-baseline", "output"},
	"cel":           {"policy", "strip", "dialect", "strict", "output"},
	"schema":        {"type", "crd", "kubernetes-version", "show-defaults", "origins", "kinds"},
	"upgrade-check": {"old-crd", "new-crd", "old-kubernetes", "new-kubernetes", "filename", "context", "output"},
	"owners":        {"filename", "context", "namespace", "field-manager", "html", "output"},
	"extract":       {"filename", "context", "namespace", "field-manager", "operation", "output"},
	"doctor":        {"filename", "context", "all-namespaces", "fix", "write", "stale", "owned-defaults"},
	"migrate":       {"filename", "from", "to", "old-crd", "crd", "context", "write"},
	"serve":         {"crd", "kubernetes-version", "listen", "store", "tls", "token"},
}

// shortUsages describe flags in the short help. Other flags have their full description there.
var shortUsages = map[string]string{
	"filename":             "file or directory, - for standard input",
	"live":                 "live objects with their managed fields",
	"context":              "read from a cluster, by kubeconfig context",
	"namespace":            "namespace in the cluster",
	"force-conflicts":      "overwrite conflicting values and take ownership",
	"yield":                "leave conflicting fields out of the config",
	"share":                "apply the live values of conflicting fields",
	"explain":              "on a terminal, show all conflicts and values in full",
	"crd":                  "CustomResourceDefinitions of the objects",
	"kubernetes-version":   "Kubernetes release of the built-in types",
	"immutability-markers": "reject changes that immutability markers forbid (a proposal)",
	"write":                "change the cluster, after a dry run and a confirmation",
	"old":                  "objects before the change",
	"new":                  "objects after the change",
	"old-crd":              "old CustomResourceDefinitions",
	"new-crd":              "new CustomResourceDefinitions",
	"old-kubernetes":       "old Kubernetes release, or its OpenAPI documents",
	"new-kubernetes":       "new Kubernetes release, or its OpenAPI documents",
	"type":                 "a definition, or apiVersion/kind, such as v1/Service",
}

// valueNames name the values of flags in the short help.
var valueNames = map[string]string{
	"field-manager": "name", "namespace": "name", "subresource": "name", "to": "name", "type": "name",
	"output": "form", "stale": "age", "baseline": "file", "min-severity": "severity", "dialect": "name", "operation": "name",
}

// examplesShown are the indexes of the examples in the short help, by command. Other commands show
// the first ones.
var examplesShown = map[string][]int{
	"apply":         {0, 1, 12},
	"diff":          {5, 0, 1},
	"lint":          {0, 2, 4},
	"doctor":        {0, 1, 5},
	"migrate":       {0, 1, 3},
	"owners":        {0, 1, 2},
	"upgrade-check": {0, 1, 2},
}

// flagGroup is a part of the list of flags in the long help.
type flagGroup struct {
	title string
	flags []string
}

// flagGroups are the groups in the list of flags, in their order. A flag without a group is in
// the first group.
var flagGroups = []flagGroup{
	{"Flags", nil},
	{"Conflicts", []string{"force-conflicts", "yield", "share", "explain"}},
	{"Schemas and types", []string{"crd", "openapi", "kubernetes-version", "defaults", "markers", "schema", "type", "untyped", "conversion", "native", "strict-live", "ignore-item-order", "duplicates"}},
	{"Cluster", []string{"context", "kubeconfig", "namespace", "all-namespaces", "selector", "as", "as-group", "request-timeout", "write", "undo", "yes", "verify"}},
	{"Admission policies", []string{"policies", "policy-user", "policy-group"}},
	{"Proposals, which no released API server implements", []string{"declarative-defaults", "zero-is-absent", "normalize-unions", "immutability-markers", "equal-quantities"}},
	{"Output", []string{"output", "color", "view", "width", "show-defaults", "show-secrets", "trace", "html", "help", "help-all"}},
}

// groupOf returns the title of the group of a flag. A command's own flags, see ownFlags, stay in
// the first group.
func groupOf(c *cobra.Command, f *pflag.Flag) string {
	for _, g := range flagGroups {
		if slices.Contains(g.flags, f.Name) && !slices.Contains(ownFlags[c.Name()], f.Name) {
			return g.title
		}
	}
	return flagGroups[0].title
}

// ownFlags are flags that belong to the subject of a command, so they are in the first group.
var ownFlags = map[string][]string{
	"schema":    {"type", "show-defaults"},
	"owners":    {"html"},
	"undo":      {"yes"},
	"serve":     {"crd", "kubernetes-version"},
	"immutable": {"immutability-markers"},
}
