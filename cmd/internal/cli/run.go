// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/apply"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/definitions"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/diff"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/doctor"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/migrate"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/objects"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/owners"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/serve"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/writing"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
)

// System returns the process's own Env. There is colour only on a terminal, and
// none if NO_COLOR is set.
func System() command.Env {
	_, progress := terminalWidth(os.Stderr)
	_, asks := terminalWidth(os.Stdin)
	return command.Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Colour: takesColour(os.Stdout), Width: columns(os.Stdout), Progress: progress && os.Getenv("TERM") != "dumb",
		Asks: asks, Program: programName(os.Args[0]),
		Native: cmp.Or(os.Getenv("DOVETAIL_NATIVE"), command.NativeFound),
	}
}

func takesColour(f *os.File) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Run runs one command and returns its exit status. It does not panic.
func Run(args []string, env command.Env) (status int) {
	env.Stderr = command.Messages{W: env.Stderr}
	r := &command.Run{Env: env}
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(env.Stderr, "error: internal error, please report it with the command and its files: %v\n", p)
			status = command.StatusInvalid
		}
	}()
	root := newRoot(r)
	r.Args = calledAs(env.Program, root, args)
	root.SetArgs(r.Args)
	if completes(r.Args) {
		setCompletions(r, root)
	}
	called, err := root.ExecuteC()
	r.WriteNotes()
	if err == nil {
		// What was rendered is written at the end, so that a pipe never sees
		// the beginning of a result that did not come about.
		err = r.Flush()
	}
	if err == nil {
		return r.Status
	}
	fmt.Fprintf(env.Stderr, "error: %s\n", strings.TrimSpace(err.Error()))
	var usage *command.UsageError
	if errors.As(err, &usage) || !r.Started {
		if called.Name() == helpName {
			called = root // what it was asked for is a command of root
		}
		fmt.Fprintf(env.Stderr, "see %s --help\n", called.CommandPath())
	}
	return command.StatusInvalid
}

func newRoot(r *command.Run) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "dovetail",
		Short: "Server-side apply without a server",
		Long: `dovetail does on files what the Kubernetes API server does around a server-side
apply: merging, field ownership, conflicts, defaults. It needs no cluster, no
kubeconfig and no network; but where one is named, as with --context, it reads
objects and types from a cluster. It writes nothing there but with --write.

Objects are read as YAML, KYAML and JSON, and as CBOR that begins with its tag,
which is how Kubernetes writes it. Files of objects may be of any length: Lists,
and values of JSON one after the other (NDJSON), are read one object at a time.

Exit status: 0 done, or no difference; 1 diff, lint, doctor or upgrade-check
found something; 2 conflict; 3 bad input, invalid object or wrong usage; 4 a
change that immutability forbids. docs/ci.md has a table by command.

Of several objects, and of findings, standard error begins with a summary; in reports
the first has it.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return noCommand(cmd, args[0])
		},
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Example: `  # What would the API server make of this?
  dovetail apply -f service.yaml --live live.yaml --field-manager web

  # Who set which line of it?
  dovetail owners -f live.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				writeVersion(&r.Out)
				return nil
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print what the command version prints")
	root.SetIn(r.Env.Stdin)
	root.SetOut(r.Env.Stdout)
	root.SetErr(r.Env.Stderr)
	root.SetFlagErrorFunc(flagError(r))
	root.AddCommand(
		apply.New(r),
		apply.NewUpdate(r),
		diff.New(r),
		objects.NewDefault(r),
		objects.NewValidate(r),
		objects.NewImmutable(r),
		definitions.NewLint(r),
		definitions.NewCEL(r),
		definitions.NewSchema(r),
		definitions.NewUpgradeCheck(r),
		owners.New(r),
		owners.NewExtract(r),
		doctor.New(r),
		migrate.New(r),
		writing.NewUndo(r),
		serve.New(r),
		newReportSchema(r),
		newVersion(r),
		newCompletion(r),
		newMan(r),
	)
	setHelp(root)
	return root
}

// noCommand says that root has no command of that name.
func noCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return command.Usagef("no command %q%s", name, words.DidYouMean(suggest.Nearest(name, names)))
}
