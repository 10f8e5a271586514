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

// Manager is who writes managed fields. It owns nothing by that.
const Manager = "dovetail"

// Flags are the flags of a command that can write.
type Flags struct {
	write, yes bool
	undo       string
	set        *pflag.FlagSet
}

// Register adds the flags; what says what is written.
func (f *Flags) Register(flags *pflag.FlagSet, what string) {
	f.set = flags
	flags.BoolVar(&f.write, "write", false, "write "+what+" to the cluster, after a dry run and a question")
	flags.StringVar(&f.undo, "undo", "", "new `file` for \"dovetail undo\" (default dovetail-undo-HOST-TIME.json)")
	f.registerYes(flags)
}

func (f *Flags) registerYes(flags *pflag.FlagSet) {
	flags.BoolVar(&f.yes, "yes", false, "write without asking")
}

// Asked says whether something is to be written.
func (f *Flags) Asked() bool { return f.write }

// CheckSelected refuses what cannot be meant by a command that writes objects of a cluster back;
// files are those that it is given in place of a cluster.
func (f *Flags) CheckSelected(r *command.Run, files []string, c *cluster.Flags) error {
	if f.write && len(files) > 0 {
		return command.Usagef("--write writes objects as they were read from the cluster: name them, or give -n, -A or -l, in place of -f")
	}
	return f.Check(r, c)
}

// Check refuses what cannot be meant. Nothing is asked of a cluster before.
func (f *Flags) Check(r *command.Run, c *cluster.Flags) error {
	switch {
	case !f.write && (f.yes || f.undo != ""):
		return command.Usagef("--yes and --undo go with --write")
	case !f.write:
		return nil
	case !c.EnableForPlugin(r):
		return command.Usagef("--write needs a cluster, which objects are read from and written to: --context, -n, or the name of an object, as deployment/web")
	case f.set.Changed("output"):
		return command.Usagef("--write tells which objects were written, in lines: leave out -o")
	}
	if err := f.checkAsks(r, "--write"); err != nil {
		return err
	}
	return f.checkUndo()
}

// checkAsks refuses to write where nobody can be asked.
func (f *Flags) checkAsks(r *command.Run, what string) error {
	if !f.yes && !r.Env.Asks {
		return command.Usagef("%s asks before it writes, and standard input is no terminal: give --yes", what)
	}
	return nil
}

// Item is an object that is to be written.
type Item struct {
	ID        manifest.Identity
	Of        cluster.Resource
	Namespace string
	// Change is what is to be written to the object as it was read.
	Change *Change
	// Make makes it anew of the object as it is now, nil if there is none: nil if there is
	// nothing to write to it. why says why it cannot be made.
	Make func(live *manifest.Object) (change *Change, why string)
}

// Change is what is to be written to one state of an object.
type Change struct {
	Write cluster.Write
	// Differs says where what a server answers is not what was predicted, in words fit for a
	// bug report; empty if it is.
	Differs func(answer map[string]any) string
	// record is what it is undone from; nil for what undoes something.
	record *record
	// then is what is to be written next, to the object that the server has answered with.
	then func(object map[string]any) (*Change, string)
}

// fate is what became of an item.
type fate int

const (
	ready   fate = iota
	changed      // by somebody else, since it was read
	written
	already // as it is to be
	refused
	unknown // there was no answer
	untried
)

// state is an item on its way.
type state struct {
	*Item
	fate fate
	// why says why it is not written.
	why string
}

func (s *state) end(f fate, why string) { s.fate, s.why = f, why }

// writer writes items.
type writer struct {
	r      *command.Run
	f      *Flags
	c      *cluster.Cluster
	all    []*state
	mu     sync.Mutex
	stop   string // why nothing more is sent
	undoes bool
}

const nothingWritten = "nothing was written"

// tries is how often an object is read anew that somebody else changes meanwhile.
const tries = 6

// Write writes items to the cluster. what names what is written, of so many objects. It tells what
// was written, also if that is not all; err is about what kept all from being written.
func (f *Flags) Write(r *command.Run, c *cluster.Cluster, what string, items []*Item) error {
	r.WriteClosing() // the summary stands before the question
	w := &writer{r: r, f: f, c: c}
	for _, i := range items {
		w.all = append(w.all, &state{Item: i})
	}
	return w.write(what)
}

func (w *writer) write(what string) error {
	w.preview(w.of(ready))
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
		w.tell(nil)
		return nil
	}
	w.tellRefused("the others can be written")
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
	// The first signal ends it between two requests, so that it can be told what was written;
	// the second one ends the program.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { w.end("interrupted"); stop() })
	for try := range tries {
		left := w.of(ready)
		if try > 0 {
			left = w.of(changed)
			w.again(left)
			left = w.only(left, ready)
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
	}
	w.tell(file)
	return nil
}

// end has nothing more sent.
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

func (w *writer) of(f fate) []*state { return w.only(w.all, f) }

func (w *writer) only(list []*state, f fate) (some []*state) {
	for _, s := range list {
		if s.fate == f {
			some = append(some, s)
		}
	}
	return some
}

func (w *writer) count(f fate) int { return len(w.of(f)) }

// preview asks for a dry run of the changes. One of an object that has changed since is made anew.
func (w *writer) preview(list []*state) {
	for range tries {
		cluster.Each(len(list), func(i int) { w.try(list[i]) })
		list = w.only(list, changed)
		if len(list) == 0 || w.ended() != "" {
			return
		}
		w.remake(list)
		list = w.only(list, ready)
	}
}

// again makes the changes of objects that somebody else has changed anew, and asks for a dry run
// of them.
func (w *writer) again(list []*state) {
	w.remake(list)
	w.preview(w.only(list, ready))
}

// try asks for a dry run.
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
	o, why := w.differs(s, answer)
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

// differs reads an answer to a change, and says where it is not what was predicted.
func (w *writer) differs(s *state, answer []byte) (object map[string]any, why string) {
	if s.Change.Write.Form == cluster.Delete {
		return nil, ""
	}
	o, err := manifest.ReadResponse(w.c.Host, answer, s.ID.APIVersion, s.ID.Kind)
	if err != nil {
		return nil, err.Error()
	}
	return o.Content, s.Change.Differs(w.hide(o.Content))
}

// hide masks the values of a Secret, as they are in what is predicted. What undoes something has
// them from its file, and shows none.
func (w *writer) hide(object map[string]any) map[string]any {
	if w.undoes {
		return object
	}
	return w.r.Masks.Hide(object)
}

// remake reads objects anew, and makes the changes of them.
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
		o, why := w.differs(s, answer)
		s.end(written, why)
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

// confirm asks whether to write.
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
		return errors.New("it was not agreed to: nothing was written")
	}
	return nil
}

// tellRefused says what will not be written, before somebody is asked about the rest.
func (w *writer) tellRefused(rest string) {
	n := 0
	for _, s := range w.of(refused) {
		w.say(s)
		n++
	}
	if n > 0 {
		fmt.Fprintf(w.r.Env.Stderr, "%d of %s cannot be written, see above; %s\n", n, words.Count(len(w.all), "object"), rest)
	}
}

// say says once why an object is not written, or is not as was predicted.
func (w *writer) say(s *state) {
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

// tell says what was written and what was not.
func (w *writer) tell(file *undoFile) {
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
			s.why = fmt.Sprintf("not written: somebody else has changed it again and again, %d times while it was read and written; try again", tries)
		}
		if s.fate == unknown {
			s.why = "whether it is written is not known: there was no answer"
		}
		if s.why != "" || s.fate == refused {
			w.r.Status = max(w.r.Status, command.StatusInvalid)
		}
		w.say(s)
	}
	if w.stop != "" {
		w.r.Status = max(w.r.Status, command.StatusInvalid)
		fmt.Fprintf(w.r.Env.Stderr, "%s\n", w.stop)
	}
	var parts []string
	for _, p := range []struct {
		f    fate
		text string
	}{{written, "written"}, {already, "so already"}, {changed, "changed by others"}, {refused, "refused"}, {unknown, "not known"}, {untried, "not tried"}, {ready, "not tried"}} {
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
