// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package writing

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Manager is the field manager of the merge patches that write managed fields or undo a write. A
// patch that writes managed fields does not make this manager the owner of any field.
const Manager = "dovetail"

// Flags holds the flags of a command that can write to a cluster.
type Flags struct {
	write, yes bool
	undo       string
	set        *pflag.FlagSet
}

// Register adds the flags. The argument what describes the written data in the help.
func (f *Flags) Register(flags *pflag.FlagSet, what string) {
	f.set = flags
	flags.BoolVar(&f.write, "write", false, "write "+what+" to the cluster, after a dry run and a confirmation")
	flags.StringVar(&f.undo, "undo", "", "new `file` for \"dovetail undo\" (default dovetail-undo-HOST-TIME.json)")
	f.registerYes(flags)
}

func (f *Flags) registerYes(flags *pflag.FlagSet) {
	flags.BoolVar(&f.yes, "yes", false, "write without asking")
}

// Asked reports whether the command line contains --write.
func (f *Flags) Asked() bool { return f.write }

// CheckSelected is like Check, for a command that changes objects in a cluster. It also rejects
// --write if the objects come from files.
func (f *Flags) CheckSelected(r *command.Run, files []string, c *cluster.Flags) error {
	if f.write && len(files) > 0 {
		return command.Usagef("--write changes objects of the cluster: instead of -f, name the objects, or use -n, -A or -l")
	}
	return f.Check(r, c)
}

// Check rejects contradictory flags. It sends no request to the cluster.
func (f *Flags) Check(r *command.Run, c *cluster.Flags) error {
	switch {
	case !f.write && (f.yes || f.undo != ""):
		return command.Usagef("--yes and --undo need --write")
	case !f.write:
		return nil
	case !c.EnableForPlugin(r):
		return command.Usagef("--write needs a cluster: add --context, -n, or the name of an object, such as deployment/web")
	case f.set.Changed("output"):
		return command.Usagef("--write prints a line for each written object: leave out -o")
	}
	if err := f.checkAsks(r, "--write"); err != nil {
		return err
	}
	return f.checkUndo()
}

// checkAsks returns an error if the command needs a confirmation, because there is no --yes, but
// cannot ask the user, because there is no terminal. name is the name of the flag or command that
// writes.
func (f *Flags) checkAsks(r *command.Run, name string) error {
	if !f.yes && !r.Env.Asks {
		return command.Usagef("%s asks for confirmation, but standard input is not a terminal: add --yes", name)
	}
	return nil
}

// Item is an object to write, together with its change.
type Item struct {
	ID        manifest.Identity
	Of        cluster.Resource
	Namespace string
	// Change is the change to write. It was computed for the object as the command has read it.
	Change *Change
	// Make computes the change again, after another client has changed the object. The argument
	// live is the new state, or nil if the object no longer exists. If there is nothing to write,
	// Make returns a nil change. If no change is possible, it returns a nil change and the reason.
	Make func(live *manifest.Object) (change *Change, why string)
}

// Change is a change of an object. It is valid only for one state of this object.
type Change struct {
	Write cluster.Write
	// Differs returns text for a bug report if the response of the server differs from the
	// prediction, and "" otherwise.
	Differs func(answer map[string]any) string
	// record is saved in the undo file. It is nil if the change itself is an undo.
	record *record
	// then returns a second change to send after this one, or nil. object is the object in the
	// response to this change.
	then func(object map[string]any) (*Change, string)
}

// fate is the result of writing an item.
type fate int

const (
	ready   fate = iota
	changed      // another client has changed the object since it was read
	written
	already // the object already has the intended state
	refused
	unknown // the server did not answer
	untried
)

// state is an item with its result so far.
type state struct {
	*Item
	fate fate
	// why is the reason why the item was not written. For a written item, it describes how the
	// response differs from the prediction.
	why string
}

func (s *state) end(f fate, why string) { s.fate, s.why = f, why }

// writer writes all items of a command.
type writer struct {
	r      *command.Run
	f      *Flags
	c      *cluster.Cluster
	all    []*state
	mu     sync.Mutex
	stop   string // why the writer stops
	undoes bool
}

const nothingWritten = "nothing was written"

// tries is the maximum number of attempts to write an object while other clients change it.
const tries = 6

// Write writes items to the cluster, after a dry run and a confirmation, and prints a line for each
// item. The argument what is the start of the question to the user. Write returns only errors that
// affect the whole write, and prints errors about single items.
func (f *Flags) Write(r *command.Run, c *cluster.Cluster, what string, items []*Item) error {
	r.WriteClosing() // show the summary before the question
	w := &writer{r: r, f: f, c: c}
	for _, i := range items {
		w.all = append(w.all, &state{Item: i})
	}
	return w.write(what)
}

func (w *writer) write(what string) error {
	w.preview(w.withFate(ready))
	n := w.count(ready)
	if w.stop != "" {
		for _, s := range w.all {
			s.end(untried, "")
		}
		if strings.HasSuffix(w.stop, nothingWritten) {
			return errors.New(w.stop)
		}
		return errors.New(w.stop + "; " + nothingWritten)
	}
	if n == 0 {
		w.report(nil)
		return nil
	}
	w.reportRefused("the others can be written")
	if err := w.confirm(what, n); err != nil {
		return err
	}
	var file *undoFile
	if !w.undoes {
		var err error
		if file, err = w.newFile(); err != nil {
			return fmt.Errorf("%w; nothing was written", err)
		}
	}
	// The first signal stops the writer after the current requests, so that it can report what was
	// written. A second signal ends the program.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { w.end("interrupted"); stop() })
	for try := range tries {
		left := w.withFate(ready)
		if try > 0 {
			left = w.withFate(changed)
			w.recompute(left)
			left = w.selectFate(left, ready)
		}
		if len(left) == 0 {
			break
		}
		if file != nil {
			if err := file.save(left); err != nil {
				w.end(err.Error())
			}
		}
		cluster.Each(len(left), func(i int) { w.send(left[i]) })
		if file != nil {
			// Save the responses to the writes, too. A server can generate other values in a write than
			// in its dry run, such as node ports.
			if err := file.save(left); err != nil {
				w.end(err.Error())
			}
		}
	}
	w.report(file)
	return nil
}

// end makes the writer stop. The argument why is the reason for messages.
func (w *writer) end(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop = cmp.Or(w.stop, why)
}

func (w *writer) ended() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stop
}

func (w *writer) withFate(f fate) []*state { return w.selectFate(w.all, f) }

func (w *writer) selectFate(list []*state, f fate) (some []*state) {
	for _, s := range list {
		if s.fate == f {
			some = append(some, s)
		}
	}
	return some
}

func (w *writer) count(f fate) int { return len(w.withFate(f)) }

// preview sends a dry run of each change. If another client has changed an object in the meantime,
// preview computes the change again and repeats the dry run.
func (w *writer) preview(list []*state) {
	for range tries {
		cluster.Each(len(list), func(i int) { w.try(list[i]) })
		list = w.selectFate(list, changed)
		if len(list) == 0 || w.ended() != "" {
			return
		}
		w.remake(list)
		list = w.selectFate(list, ready)
	}
}

// recompute reads objects that other clients have changed, computes the changes to write again, and
// sends dry runs of the new changes.
func (w *writer) recompute(list []*state) {
	w.remake(list)
	w.preview(w.selectFate(list, ready))
}

// try sends a dry run of the change of one object.
func (w *writer) try(s *state) {
	if w.ended() != "" {
		return
	}
	trial := s.Change.Write
	trial.DryRun = true
	answer, r := w.c.Send(trial)
	if r != nil {
		w.refuse(s, r)
		return
	}
	o, why := w.readResponse(s, answer)
	if why != "" {
		s.end(refused, why)
		return
	}
	if x := s.Change.record; x != nil && x.Object != nil {
		x.Object.After = o
	}
}

func (w *writer) refuse(s *state, r *cluster.Refusal) {
	switch {
	case r.Fatal:
		w.end(w.c.Explain(r).Error())
		s.end(untried, "")
	case r.Changed():
		s.end(changed, "")
	default:
		s.end(refused, r.Text)
	}
}

// readResponse returns the object in the response to a change. If the object differs from the
// prediction, why describes the differences.
func (w *writer) readResponse(s *state, answer []byte) (object map[string]any, why string) {
	if s.Change.Write.Form == cluster.Delete {
		return nil, ""
	}
	o, err := manifest.ReadResponse(w.c.Host, answer, s.ID.APIVersion, s.ID.Kind)
	if err != nil {
		return nil, err.Error()
	}
	return o.Content, s.Change.Differs(w.hide(o.Content))
}

// hide masks the values of a Secret, so that the object can be compared with the prediction, whose
// values are also masked. In an undo, hide masks nothing: the object is compared with the real
// values in the undo file, and no values are printed.
func (w *writer) hide(object map[string]any) map[string]any {
	if w.undoes {
		return object
	}
	return w.r.Masks.Hide(object)
}

// remake reads objects again, and computes their changes for the new state.
func (w *writer) remake(list []*state) {
	wanted := make([]cluster.Wanted, len(list))
	for i, s := range list {
		wanted[i] = cluster.Wanted{Resource: s.Of, Namespace: s.Namespace, Object: s.ID.Name}
	}
	answers, err := w.c.Read(wanted)
	if err != nil {
		w.end(err.Error())
		return
	}
	for i, s := range list {
		a := answers[i]
		if a.Problem != "" {
			s.end(refused, a.Problem)
			continue
		}
		if a.Live != nil {
			a.Live.Content = w.hide(a.Live.Content)
		}
		change, why := s.Make(a.Live)
		switch {
		case why != "":
			s.end(refused, why)
		case change == nil:
			s.end(already, "")
		default:
			s.Change = change
			s.end(ready, "")
		}
	}
}

// send writes one object.
func (w *writer) send(s *state) {
	if w.ended() != "" {
		s.end(untried, "")
		return
	}
	answer, r := w.c.Send(s.Change.Write)
	switch {
	case r == nil:
		o, why := w.readResponse(s, answer)
		s.end(written, why)
		if x := s.Change.record; x != nil && x.Object != nil && o != nil {
			x.Object.After, x.Object.Unknown = o, nil
		}
		if then := s.Change.then; then != nil && o != nil {
			if s.Change, why = then(o); s.Change != nil {
				w.send(s)
			} else if why != "" {
				s.end(refused, why)
			}
		}
	case r.Code == 0:
		w.end(w.c.Explain(r).Error())
		s.end(unknown, "")
	default:
		w.refuse(s, r)
	}
}

// confirm asks the user whether to write.
func (w *writer) confirm(what string, n int) error {
	if w.f.yes {
		return nil
	}
	with, user := w.c.Account()
	account := ""
	if with != "" {
		account = " (context " + words.Flow(with)
		if user != "" {
			account += ", user " + words.Flow(user)
		}
		account += ")"
	}
	w.r.WriteNotes()
	fmt.Fprintf(w.r.Env.Stderr, "%s %s in %s%s? [y/N] ", what, words.Count(n, "object"), w.c.Host, account)
	line, err := bufio.NewReader(w.r.Env.Stdin).ReadString('\n')
	if err != nil && err != io.EOF {
		return fmt.Errorf("standard input: %w; nothing was written", err)
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return errors.New("not confirmed: nothing was written")
	}
	return nil
}

// reportRefused prints which objects cannot be written, and how many there are. It is called before
// the question to the user. The message ends with the text rest.
func (w *writer) reportRefused(rest string) {
	n := 0
	for _, s := range w.withFate(refused) {
		w.reportOnce(s)
		n++
	}
	if n > 0 {
		fmt.Fprintf(w.r.Env.Stderr, "%d of %s cannot be written, see above; %s\n", n, words.Count(len(w.all), "object"), rest)
	}
}

// reportOnce prints why an object was not written, or how the response differs from the
// prediction. Further calls for the same object print nothing.
func (w *writer) reportOnce(s *state) {
	if s.why != "" {
		fmt.Fprintf(w.r.Env.Stderr, "%s\n", s.what())
		s.why = ""
	}
}

func (s *state) what() string {
	if id := s.ID.String(); !strings.HasPrefix(s.why, id) {
		return id + ": " + s.why
	}
	return s.why
}

// report prints which objects were written.
func (w *writer) report(file *undoFile) {
	if len(w.all) == 0 {
		fmt.Fprintln(w.r.Env.Stderr, "nothing to write")
		return
	}
	counts := map[fate]int{}
	for _, s := range w.all {
		if s.fate == changed && w.stop != "" {
			s.fate = untried
		}
		counts[s.fate]++
		if s.fate == written {
			fmt.Fprintf(&w.r.Out, "%v: written\n", s.ID)
		}
		if s.fate == changed {
			s.why = fmt.Sprintf("not written, because other clients changed the object %d times during the write; try again", tries)
		}
		if s.fate == unknown {
			s.why = "it is unknown whether the object was written, because the server did not answer"
		}
		if s.why != "" || s.fate == refused {
			w.r.Status = max(w.r.Status, command.StatusInvalid)
		}
		w.reportOnce(s)
	}
	if w.stop != "" {
		w.r.Status = max(w.r.Status, command.StatusInvalid)
		fmt.Fprintf(w.r.Env.Stderr, "%s\n", w.stop)
	}
	var parts []string
	for _, p := range []struct {
		f    fate
		text string
	}{{written, "written"}, {already, "unchanged"}, {changed, "changed by other clients"}, {refused, "refused"}, {unknown, "unknown"}, {untried, "not tried"}, {ready, "not tried"}} {
		if counts[p.f] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[p.f], p.text))
		}
	}
	fmt.Fprintf(w.r.Env.Stderr, "%s: %s\n", words.Count(len(w.all), "object"), strings.Join(parts, ", "))
	if file == nil {
		return
	}
	if counts[written]+counts[unknown]+counts[already] == 0 {
		file.remove()
		return
	}
	program := "dovetail"
	if w.r.Plugin() {
		program = "kubectl dovetail"
	}
	fmt.Fprintf(w.r.Env.Stderr, "to undo it: %s undo -f %s%s\n", program, words.InShell(file.name), w.c.Flags())
}
