// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

func newVersion(r *command.Run) *cobra.Command {
	var form command.Output
	c := &cobra.Command{
		Use:     "version",
		Short:   "Show the versions of dovetail and of its built-in types",
		Example: "  dovetail version\n\n  dovetail version -o json",
	}
	form.Register(c.Flags(), command.FormText, command.FormYAML, command.FormJSON)
	return r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		switch form.Form {
		case command.FormYAML:
			return encode.YAML(&r.Out, readVersion())
		case command.FormJSON:
			return encode.JSON(&r.Out, readVersion())
		}
		writeVersion(&r.Out)
		return nil
	})
}

// structuredMergeDiff lists releases of sigs.k8s.io/structured-merge-diff. Dovetail implements the
// API of these releases, and tests compare its results with theirs.
var structuredMergeDiff = []string{"v4.7.0", "v6.4.2", "v7.0.0"}

// writeVersion writes the versions as human-readable text.
func writeVersion(w io.Writer) {
	v := readVersion()
	fmt.Fprintf(w, "dovetail   %s\n", v["dovetail"])
	if revision, ok := v["revision"]; ok {
		fmt.Fprintf(w, "revision   %s\n", revision)
	}
	fmt.Fprintf(w, "kubernetes %s (built-in types; also available: %s)\n", v["kubernetes"], strings.Join(openapi.Releases(), ", "))
	fmt.Fprintf(w, "api        structured-merge-diff %s\n", strings.Join(structuredMergeDiff, ", "))
	fmt.Fprintf(w, "go         %s\n", v["go"])
}

// readVersion returns the version, revision and dependencies of the binary.
func readVersion() map[string]any {
	v := map[string]any{
		"dovetail": "(devel)", "kubernetes": openapi.Release(), "kubernetesReleases": openapi.Releases(),
		"structuredMergeDiff": structuredMergeDiff,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v["go"] = info.GoVersion
	if info.Main.Version != "" {
		v["dovetail"] = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v["revision"] = s.Value
		}
	}
	return v
}
