// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// Trace is the value of the flag --trace.
type Trace struct{ Changes, Objects bool }

// Register adds the flag.
func (t *Trace) Register(flags *pflag.FlagSet) {
	flags.Var(t, "trace", "show on standard error what each stage of a request changes in the object, or with `[=objects]` the whole object after each stage")
	flags.Lookup("trace").NoOptDefVal = "true"
}

// Asked reports whether stages are to be kept.
func (t *Trace) Asked() bool { return t.Changes || t.Objects }

// String returns the value as it would be given.
func (t *Trace) String() string {
	switch {
	case t.Objects:
		return "objects"
	case t.Changes:
		return "true"
	}
	return ""
}

// Type makes the help show the flag as one that needs no value.
func (t *Trace) Type() string { return "bool" }

// Set takes a value: true, false or objects.
func (t *Trace) Set(text string) error {
	switch text {
	case "true":
		*t = Trace{Changes: true}
	case "false":
		*t = Trace{}
	case "objects":
		*t = Trace{Objects: true}
	default:
		return fmt.Errorf("want --trace or --trace=objects")
	}
	return nil
}

// Step is a stage that an object went through.
type Step struct {
	Stage         fieldmanager.Stage
	Before, After map[string]any
}

// steps are the stages of one request. Predictions that follow the request, such as those of the
// ways out of conflicts, are not recorded.
type steps struct {
	all  []Step
	done bool
}

// tracer returns the function that keeps the stages of the request for o, nil if nobody asked.
func (m *Requester) tracer(o *Outcome) func(stage fieldmanager.Stage, before, after map[string]any) {
	if !m.Trace.Asked() {
		return nil
	}
	o.steps = &steps{}
	return func(stage fieldmanager.Stage, before, after map[string]any) {
		// These two were done before the object was validated.
		switch stage {
		case predict.StageReceived:
			before = o.Object.Content
		case predict.StageLiveConverted:
			before = o.Live.Content
		}
		o.steps.add(Step{stage, before, after})
	}
}

// add adds a step. Reading back several times is one step.
func (s *steps) add(step Step) {
	if s.done {
		return
	}
	if n := len(s.all); step.Stage == predict.StageReadBack && n > 0 && s.all[n-1].Stage == step.Stage {
		s.all[n-1].After = step.After
		return
	}
	s.all = append(s.all, step)
}

// Steps are the stages of the request for o, if --trace is given and it was made.
func (o *Outcome) Steps() []Step {
	if o.steps == nil {
		return nil
	}
	return o.steps.all
}
