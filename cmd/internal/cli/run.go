// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/internal/suggest"
)

// The exit statuses of every command.
const (
	// StatusDone: done, or no difference.
	StatusDone = 0
	// StatusDifference: diff found a difference, lint, doctor or upgrade-check
	// found something.
	StatusDifference = 1
	// StatusConflict: an apply conflicts with other managers.
	StatusConflict = 2
	// StatusInvalid: bad input, an invalid object, wrong usage.
	StatusInvalid = 3
	// StatusImmutable: a change that immutability forbids.
	StatusImmutable = 4
)

// Env is what a command sees of the world besides its arguments and files.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Colour says whether Stdout takes colours.
	Colour bool
	// Width is how many columns Stdout has, 0 if that is not known.
	Width int
	// Progress says whether Stderr is a terminal, on which a line can be written
	// over.
	Progress bool
	// Program is the name by which the program was called, empty for dovetail. As
	// kubectl-dovetail it is a plugin of kubectl.
	Program string
}

// System returns the process's own Env. There is colour only on a terminal, and
// none if NO_COLOR is set.
func System() Env {
	_, progress := terminalWidth(os.Stderr)
	return Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Colour: takesColour(os.Stdout), Width: columns(os.Stdout), Progress: progress && os.Getenv("TERM") != "dumb",
		Program: programName(os.Args[0]),
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
func Run(args []string, env Env) (status int) {
	env.Stderr = messages{env.Stderr}
	r := &run{env: env}
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(env.Stderr, "error: internal error, please report it with the command and its files: %v\n", p)
			status = StatusInvalid
		}
	}()
	root := newRoot(r)
	r.args = calledAs(env.Program, root, args)
	root.SetArgs(r.args)
	command, err := root.ExecuteC()
	if err == nil {
		// What was rendered is written at the end, so that a pipe never sees
		// the beginning of a result that did not come about.
		err = r.out.writeTo(env.Stdout)
	}
	if err == nil {
		return r.status
	}
	var failed *failure
	if errors.As(err, &failed) {
		if err := r.out.writeTo(env.Stdout); err != nil {
			fmt.Fprintf(env.Stderr, "error: %v\n", err)
		}
		return failed.status
	}
	fmt.Fprintf(env.Stderr, "error: %s\n", strings.TrimSpace(err.Error()))
	var usage *usageError
	if errors.As(err, &usage) || !r.started {
		if command.Name() == helpName {
			command = root // what it was asked for is a command of root
		}
		fmt.Fprintf(env.Stderr, "see %s --help\n", command.CommandPath())
	}
	return StatusInvalid
}

// messages writes what is for people to read: what files and arguments say may stand in
// it, and must not command a terminal. Whoever writes to it writes whole messages.
type messages struct{ w io.Writer }

func (m messages) Write(text []byte) (int, error) {
	if _, err := io.WriteString(m.w, visible(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// run is one run of the program.
type run struct {
	env Env
	// args is the command line.
	args []string
	// out is the result.
	out pieces
	// started is set when the command line was understood.
	started bool
	status  int
	// masks hide what Secrets hold.
	masks masks
	// stdinTaken says what standard input was read for.
	stdinTaken string
}

// failure ends a command whose messages are written already.
type failure struct{ status int }

func (f *failure) Error() string { return fmt.Sprintf("exit status %d", f.status) }

// usageError is a command line that cannot be meant.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

func newRoot(r *run) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "dovetail",
		Short: "Server-side apply without a server",
		Long: `dovetail does on files what the Kubernetes API server does around a server-side
apply: merging, field ownership, conflicts, defaults. It needs no cluster, no
kubeconfig and no network.

Exit status: 0 done, or no difference; 1 diff, lint, doctor or upgrade-check
found something; 2 conflict; 3 bad input, invalid object or wrong usage; 4 a
change that immutability forbids.`,
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
				writeVersion(&r.out)
				return nil
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print what the command version prints")
	root.SetIn(r.env.Stdin)
	root.SetOut(r.env.Stdout)
	root.SetErr(r.env.Stderr)
	root.SetFlagErrorFunc(flagError(r))
	root.AddCommand(
		newApply(r),
		newUpdate(r),
		newDiff(r),
		newDefault(r),
		newValidate(r),
		newImmutable(r),
		newLint(r),
		newCEL(r),
		newSchema(r),
		newUpgradeCheck(r),
		newOwners(r),
		newExtract(r),
		newDoctor(r),
		newMigrate(r),
		newVersion(r),
		newCompletion(r),
		newMan(r),
	)
	setHelp(root)
	r.setCompletions(root)
	return root
}

// noCommand says that root has no command of that name.
func noCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return usagef("no command %q%s", name, didYouMean(suggest.Nearest(name, names)))
}

// command wires what all commands share.
func (r *run) command(c *cobra.Command, do func() error) *cobra.Command {
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 && strings.HasPrefix(args[0], ".") && c.Flags().Lookup(forceFlag) != nil {
			return usagef("unexpected argument %q: a path belongs to its flag with =, as in --%s=%s", args[0], forceFlag, args[0])
		}
		if len(args) > 0 && c.Flags().Lookup("filename") != nil {
			return usagef("unexpected argument %q: files are given with flags, as in -f %s", args[0], args[0])
		}
		if len(args) > 0 {
			return usagef("unexpected argument %q: files are given with flags", args[0])
		}
		return nil
	}
	if flags := c.Flags(); flags.Lookup("filename") != nil || flags.Lookup("old") != nil {
		r.masks.register(flags)
	}
	c.DisableFlagsInUseLine = true
	c.RunE = func(*cobra.Command, []string) error {
		r.started = true
		return r.ended(c, do())
	}
	return c
}

// warnf writes a message that does not change the outcome.
func (r *run) warnf(format string, args ...any) {
	fmt.Fprintf(r.env.Stderr, "warning: "+format+"\n", args...)
}
