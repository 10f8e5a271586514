// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// group is a section in the list of commands, with a title.
type group struct {
	title    string
	commands []string
}

// groups lists the sections of commands in the order of the help. The last section contains all
// commands that no other section names.
var groups = []group{
	{"Predict requests", []string{"apply", "update", "diff"}},
	{"Field ownership", []string{"owners", "extract", "doctor", "migrate", "undo"}},
	{"Objects", []string{"validate", "default", "immutable"}},
	{"CRDs and types", []string{"schema", "lint", "cel", "upgrade-check"}},
	{"Tests", []string{"serve"}},
	{"Learn", []string{"playground"}},
	{"More", nil},
}

// commonFlags lists, for each command that has a long help page, the flags on its short page.
// All other commands have few flags, so their short page shows all flags.
var commonFlags = map[string][]string{
	"apply":         {"filename", "live", "context", "field-manager", "force-conflicts", "yield", "share", "crd", "schema", "write", "output"},
	"update":        {"filename", "live", "context", "field-manager", "subresource", "crd", "schema", "output"},
	"diff":          {"filename", "live", "context", "field-manager", "force-conflicts", "yield", "share", "crd", "schema", "explain"},
	"default":       {"filename", "crd", "kubernetes-version", "zero", "output"},
	"validate":      {"filename", "crd", "context", "kubernetes-version", "owned-defaults", "output"},
	"immutable":     {"old", "new", "crd", "openapi", "kubernetes-version", "immutability-markers", "output"},
	"lint":          {"fix", "min-severity", "rules", "baseline", "write-baseline", "output"},
	"cel":           {"policy", "strip", "dialect", "strict", "output"},
	"schema":        {"type", "crd", "kubernetes-version", "show-defaults", "origins", "kinds"},
	"upgrade-check": {"old-crd", "new-crd", "old-kubernetes", "new-kubernetes", "filename", "context", "output"},
	"owners":        {"filename", "context", "namespace", "field-manager", "crd", "schema", "html", "output"},
	"extract":       {"filename", "context", "namespace", "field-manager", "operation", "output"},
	"doctor":        {"filename", "context", "all-namespaces", "crd", "openapi", "fix", "write", "stale", "owned-defaults"},
	"migrate":       {"filename", "from", "to", "old-crd", "crd", "context", "write"},
	"serve":         {"crd", "kubernetes-version", "listen", "store", "tls", "token", "kubeconfig-out", "until-eof"},
}

// shortUsages contains the descriptions of flags for the short help. A flag that is missing here
// has the same description as in the long help.
var shortUsages = map[string]string{
	"filename":             "file or directory, or - for standard input",
	"live":                 "live objects with their managedFields",
	"context":              "kubeconfig context of the cluster to read",
	"namespace":            "read objects of this namespace of the cluster",
	"force-conflicts":      "overwrite conflicting values and own them",
	"yield":                "leave conflicting fields out of the config",
	"share":                "apply the live values of conflicting fields",
	"explain":              "on a terminal, show everything in full",
	"crd":                  "file with CustomResourceDefinitions",
	"openapi":              "file with an OpenAPI document, v2 or v3",
	"schema":               "file with a merge schema of your own; needs --type",
	"kubernetes-version":   "Kubernetes release of built-in types",
	"immutability-markers": "also enforce markers of immutable fields",
	"write":                "change the cluster, after a dry run and a confirmation",
	"old":                  "objects before the change",
	"new":                  "objects after the change",
	"old-crd":              "old CustomResourceDefinitions",
	"new-crd":              "new CustomResourceDefinitions",
	"old-kubernetes":       "old Kubernetes release, or its OpenAPI documents",
	"new-kubernetes":       "new Kubernetes release, or its OpenAPI documents",
	"type":                 "a definition, or apiVersion/kind, such as v1/Service",
	"show-defaults":        "print the defaults instead of the schema",
	"origins":              "also show where the defaults come from",
	"kinds":                "print the known kinds instead of schemas",
	"store":                "file in which the server stores objects",
	"token":                "secret that clients must send (needs --tls)",
}

// valueNames maps flags to the placeholders of their values in the short help.
var valueNames = map[string]string{
	"field-manager": "name", "namespace": "name", "subresource": "name", "to": "name", "type": "name",
	"output": "form", "stale": "age", "baseline": "file", "min-severity": "severity", "dialect": "name", "operation": "name",
}

// flagGroup is a section in the list of flags in the long help, with a title.
type flagGroup struct {
	title string
	flags []string
}

// flagGroups lists the sections of flags in the order of the long help. The first section contains
// all flags that no other section names.
var flagGroups = []flagGroup{
	{"Flags", nil},
	{"Conflicts", []string{"force-conflicts", "yield", "share", "explain"}},
	{"Schemas and types", []string{"crd", "openapi", "kubernetes-version", "defaults", "markers", "schema", "type", "untyped", "conversion", "native", "require-live", "strict-live", "ignore-item-order", "duplicates"}},
	{"Cluster", []string{"context", "kubeconfig", "namespace", "all-namespaces", "selector", "as", "as-group", "request-timeout", "write", "undo", "yes", "verify"}},
	{"Admission policies", []string{"policies", "policy-user", "policy-group"}},
	{"Proposals that no released API server implements", []string{"declarative-defaults", "zero-is-absent", "normalize-unions", "immutability-markers", "equal-quantities"}},
	{"Output", []string{"output", "color", "view", "width", "show-defaults", "show-secrets", "trace", "html", "help", "help-all"}},
}

// groupOf returns the title of the group that contains a flag of the command.
func groupOf(c *cobra.Command, f *pflag.Flag) string {
	for _, g := range flagGroups {
		if slices.Contains(g.flags, f.Name) && !slices.Contains(ownFlags[c.Name()], f.Name) {
			return g.title
		}
	}
	return flagGroups[0].title
}

// ownFlags lists the most important flags of some commands. The long help shows them in its first
// section of flags.
var ownFlags = map[string][]string{
	"schema":    {"type", "show-defaults"},
	"owners":    {"html"},
	"undo":      {"yes"},
	"serve":     {"crd", "kubernetes-version"},
	"immutable": {"immutability-markers"},
}
