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
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/playground"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/serve"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/writing"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
)

// System returns the environment of this process. It enables color for terminals unless the
// environment variable NO_COLOR is set.
func System() command.Env {
	_, isTerminal := terminalWidth(os.Stdout)
	_, errIsTerminal := terminalWidth(os.Stderr)
	_, asks := terminalWidth(os.Stdin)
	return command.Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Colour: takesColour(os.Stdout), ErrColour: takesColour(os.Stderr),
		Terminal: isTerminal, ErrTerminal: errIsTerminal,
		Width: columns(os.Stdout), ErrWidth: columns(os.Stderr), Progress: errIsTerminal && os.Getenv("TERM") != "dumb",
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

// Run runs one command and returns its exit status. It turns a panic into an error message.
func Run(args []string, env command.Env) (status int) {
	env.Stderr = &command.Messages{W: env.Stderr, Colour: env.ErrColour}
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
		// Until now, the output was buffered. If the command has failed, the output is not written,
		// so that no incomplete result reaches a pipe.
		err = r.Flush()
	}
	r.WriteClosing()
	if err == nil {
		return r.Status
	}
	fmt.Fprintf(env.Stderr, "error: %s\n", strings.TrimSpace(err.Error()))
	var usage *command.UsageError
	if errors.As(err, &usage) || !r.Started {
		if called.Name() == helpName {
			called = root // "dovetail help COMMAND" failed
		}
		fmt.Fprintf(env.Stderr, "see %s --help\n", called.CommandPath())
	}
	return command.StatusInvalid
}

func newRoot(r *command.Run) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "dovetail",
		Short: "Predict what a Kubernetes server-side apply does",
		Long: `dovetail predicts what a Kubernetes API server does with a server-side apply: the
merged object, field ownership, conflicts and defaults. It works on files and needs
no cluster. With --context it reads objects and types from a cluster. It changes
a cluster only with --write, or with the command undo.

Objects can be YAML, KYAML, JSON or tagged CBOR. Files can have any length: dovetail
reads Lists and sequences of JSON values (NDJSON) one object at a time.

On a terminal, dovetail prints differences and conflicts in short form, and a summary at
the end. Use --explain for the complete form. In a pipe or a file, it prints the complete
form, and the summary comes first. With -o report, it prints one JSON document with a
summary and a list of objects.

Exit status: 0 done, or no difference; 1 a difference or finding of diff, lint, doctor or
upgrade-check; 2 conflict; 3 invalid input, invalid object or wrong usage; 4 a change of
an immutable field. docs/ci.md has a table by command.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return noCommand(cmd, args[0])
		},
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Example: `  # Show what this apply would change.
  dovetail diff -f service.yaml --live live.yaml --field-manager web

  # Show who owns each line of the object.
  dovetail owners -f live.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				writeVersion(&r.Out)
				return nil
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print the version, like the command \"version\"")
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
		playground.New(r),
		newReportSchema(r),
		newVersion(r),
		newCompletion(r),
		newMan(r),
	)
	setHelp(root)
	return root
}

// noCommand returns the error that root does not have the named command.
func noCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return command.Usagef("no command %q%s", name, words.DidYouMean(suggest.Nearest(name, names)))
}
