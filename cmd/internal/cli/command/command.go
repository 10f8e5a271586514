// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/spool"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
)

// These are the exit statuses of all commands.
const (
	// StatusDone means that the command succeeded and found no difference or problem.
	StatusDone = 0
	// StatusDifference means that diff found a difference, or that lint, doctor or upgrade-check
	// found a problem.
	StatusDifference = 1
	// StatusConflict means that an apply conflicts with other managers.
	StatusConflict = 2
	// StatusInvalid means invalid input, an invalid object, or wrong usage.
	StatusInvalid = 3
	// StatusImmutable means that a request changes an immutable field.
	StatusImmutable = 4
)

// Env is the environment of a command: its streams and the terminal.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Colour and ErrColour report whether Stdout and Stderr show colors.
	Colour, ErrColour bool
	// Terminal and ErrTerminal report whether Stdout and Stderr are terminals. Commands write
	// short output to a terminal, and full output to other streams.
	Terminal, ErrTerminal bool
	// Width and ErrWidth are the widths of Stdout and Stderr in columns. 0 means unknown.
	Width, ErrWidth int
	// Progress reports whether Stderr is a terminal on which the program can overwrite a line.
	Progress bool
	// Asks reports whether Stdin is a terminal on which a user can answer a question.
	Asks bool
	// Program is the name with which the program was called, or "" for dovetail. If the name
	// is kubectl-dovetail, the program is a plugin of kubectl.
	Program string
	// Native says where to find the helper programs that contain the Go code of Kubernetes
	// releases. It is the path of a program or of a folder, or a special value. With NativeFound,
	// the command searches for a program. With "required", it also searches, and fails if it finds
	// none. With "" or "off", it uses no helper program.
	Native string
}

// NativeFound is a value of Env.Native. It makes commands search for helper programs next to
// the program and on PATH.
const NativeFound = "auto"

// Run is one run of the program.
type Run struct {
	Env Env
	// Args is the command line.
	Args []string
	// Out collects the result. Flush writes it to standard output.
	Out spool.Text
	// later holds the functions that Later has added. They write further sections of the result.
	later []func(io.Writer) error
	// Name is the name of the command.
	Name string
	// Started is set when the command line is valid and the command starts to work.
	Started bool
	Status  int
	// Kubernetes is the release of the built-in types that the command uses, or "" if it uses none.
	Kubernetes string
	// notes holds the notes that WriteNotes will write.
	notes spool.Text
	// mu guards once, onceWritten and warnings.
	mu sync.Mutex
	// once holds the texts that were passed to NoteOnce.
	once []string
	// onceWritten is the number of texts in once that WriteNotes has already written.
	onceWritten int
	// runNotes and warnings hold notes and warnings about the whole run.
	runNotes, warnings []string
	// Masks hides the values of Secrets.
	Masks unstructured.Masks
	// closing is text that follows the result, on standard error.
	closing bytes.Buffer
	colour  string
	explain bool
	// simpleRules is set by CheckedSimply.
	simpleRules atomic.Bool
	// StdinTaken is the name of the flag whose value "-" makes the command read standard input. It
	// is empty if no flag has this value.
	StdinTaken string
}

// Plugin reports whether the program was called as a plugin of kubectl.
func (r *Run) Plugin() bool { return r.Env.Program == PluginName }

// PluginName is the program name that makes the program a plugin of kubectl.
const PluginName = "kubectl-dovetail"

// UsageError is an error in the command line. After such an error, the program suggests
// --help.
type UsageError struct{ message string }

func (e *UsageError) Error() string { return e.message }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// colours lists the values of --color.
var colours = []string{"auto", "always", "never"}

// chooseColour sets the color fields of Env according to --color.
func (r *Run) chooseColour() error {
	switch r.colour {
	case "", "auto":
	case "always":
		r.Env.Colour, r.Env.ErrColour = true, true
	case "never":
		r.Env.Colour, r.Env.ErrColour = false, false
	default:
		return Usagef("--color %s: use %s", r.colour, strings.Join(colours, ", "))
	}
	if m, ok := r.Env.Stderr.(*Messages); ok {
		m.Colour = r.Env.ErrColour
	}
	return nil
}

// explainFlag is the flag that selects full output. --explain=false selects short output.
const explainFlag = "explain"

// RegisterExplain adds the flag --explain.
func (r *Run) RegisterExplain(flags *pflag.FlagSet) {
	flags.BoolVar(&r.explain, explainFlag, false, "show every conflict and every value in full on a terminal; pipes and files get the full output by default, and the short output with --explain=false")
}

// shortColumns is the width of short output in a pipe or a file.
const shortColumns = 160

// chooseForm selects short output if the command line contains --explain=false. Both streams then
// get the output that a terminal would get.
func (r *Run) chooseForm(flags *pflag.FlagSet) {
	if f := flags.Lookup(explainFlag); f == nil || !f.Changed || r.explain {
		return
	}
	if !r.Env.Terminal {
		r.Env.Terminal, r.Env.Width = true, shortColumns
	}
	if !r.Env.ErrTerminal {
		r.Env.ErrTerminal, r.Env.ErrWidth = true, shortColumns
	}
}

// ShortResult reports whether standard output gets short output. This is the case if standard
// output is a terminal and --explain is not set.
func (r *Run) ShortResult() bool { return r.Env.Terminal && !r.explain }

// ShortMessages reports whether standard error gets short output.
func (r *Run) ShortMessages() bool { return r.Env.ErrTerminal && !r.explain }

// ShortenedByFlag reports whether --explain=false would shorten the messages on standard error.
func (r *Run) ShortenedByFlag() bool { return !r.ShortMessages() && !r.explain }

// Closing returns a writer for text that goes to standard error after the result. The text can
// contain colors, because it is written unchanged. The caller must therefore remove control
// characters from any text of the input.
func (r *Run) Closing() io.Writer { return &r.closing }

// WriteClosing writes the collected text of Closing to standard error.
func (r *Run) WriteClosing() {
	_, _ = r.closing.WriteTo(r.unfiltered()) // if standard error fails, the error cannot be reported
}

// WritePainted writes colored text to standard error.
func (r *Run) WritePainted(text *spool.Text) {
	if err := text.Flush(r.unfiltered()); err != nil {
		fmt.Fprintf(r.Env.Stderr, "error: some messages could not be written: %v\n", err)
		r.Status = StatusInvalid
	}
}

// unfiltered returns the writer for standard error that does not replace control characters.
func (r *Run) unfiltered() io.Writer {
	if m, ok := r.Env.Stderr.(*Messages); ok {
		return m.W
	}
	return r.Env.Stderr
}

// WarnObject writes a warning about an object. The caller must also add the warning to the
// object's report.
func (r *Run) WarnObject(text string) { fmt.Fprintf(r.Env.Stderr, "warning: %s\n", text) }

// Warnf writes a warning about the whole run. It does not change the exit status.
func (r *Run) Warnf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.WarnObject(text)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.warnings = append(r.warnings, text)
}

// Warnings returns the texts passed to Warnf so far.
func (r *Run) Warnings() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.warnings...)
}

// Notef adds a note about the whole run. WriteNotes writes it later.
func (r *Run) Notef(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.runNotes = append(r.runNotes, text)
	r.NoteObject(text)
}

// RunNotes returns the texts that were passed to Notef and NoteOnce. Call it after WriteNotes.
func (r *Run) RunNotes() []string { return append([]string{}, r.runNotes...) }

// NoteObject adds a note about one object. WriteNotes writes it later, so that the summary
// comes first even if there are a thousand notes.
func (r *Run) NoteObject(text string) {
	fmt.Fprintf(&r.notes, "note: %s\n", text)
}

// NoteOnce adds a note about the whole run. If the run already has the same note, NoteOnce does
// nothing. It is safe for concurrent use.
func (r *Run) NoteOnce(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.once, text) {
		r.once = append(r.once, text)
	}
}

// CheckedSimply records that the run checked an object against fewer rules than the server has. For
// example, it checked a built-in object only against Dovetail's own rules. It is safe for concurrent
// use.
func (r *Run) CheckedSimply() { r.simpleRules.Store(true) }

// SimpleRules reports whether CheckedSimply was called.
func (r *Run) SimpleRules() bool { return r.simpleRules.Load() }

// WriteNotes writes the collected notes to standard error and clears them.
func (r *Run) WriteNotes() {
	r.mu.Lock()
	for _, text := range r.once[r.onceWritten:] {
		r.Notef("%s", text)
	}
	r.onceWritten = len(r.once)
	r.mu.Unlock()
	r.WriteMessages(&r.notes)
}

// WriteMessages writes text to standard error, line by line, and clears text.
func (r *Run) WriteMessages(text *spool.Text) {
	defer text.Reset()
	lines := bufio.NewReaderSize(text.Reader(), 1<<16)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			fmt.Fprint(r.Env.Stderr, line)
		}
		if err != nil && err != io.EOF {
			fmt.Fprintf(r.Env.Stderr, "error: some messages could not be written: %v\n", err)
			r.Status = StatusInvalid
		}
		if err != nil {
			return
		}
	}
}

// Messages is a writer that makes messages safe for a terminal. It replaces control
// characters, because messages may contain text from files and arguments. Each call of Write
// must pass complete messages.
type Messages struct {
	W io.Writer
	// Colour is set if labels such as "error:" are colored.
	Colour bool
}

func (m *Messages) Write(text []byte) (int, error) {
	shown := words.Visible(string(text))
	if m.Colour {
		shown = words.PaintLabels(shown)
	}
	if _, err := io.WriteString(m.W, shown); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Later adds a function that writes another section of the result. Flush calls it after it has
// written Out.
func (r *Run) Later(write func(io.Writer) error) { r.later = append(r.later, write) }

// Flush writes the result to standard output.
func (r *Run) Flush() error {
	out := bufio.NewWriterSize(r.Env.Stdout, 1<<16)
	err := r.Out.Flush(out)
	for _, write := range r.later {
		if err == nil {
			err = write(out)
		}
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// These are the names of the flags that resolve conflicts.
const (
	ForceFlag = "force-conflicts"
	YieldFlag = "yield"
	ShareFlag = "share"
)
