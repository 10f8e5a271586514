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
	flags.Var(t, "trace", "print to standard error how each stage of a request changes the object; with `[=objects]`, print the whole object after each stage")
	flags.Lookup("trace").NoOptDefVal = "true"
}

// Enabled reports whether the stages of requests are recorded, because --trace is set.
func (t *Trace) Enabled() bool { return t.Changes || t.Objects }

// String formats the value as it is written on the command line.
func (t *Trace) String() string {
	switch {
	case t.Objects:
		return "objects"
	case t.Changes:
		return "true"
	}
	return ""
}

// Type returns "bool", so that the help shows this flag without a value.
func (t *Trace) Type() string { return "bool" }

// Set parses "true", "false" or "objects".
func (t *Trace) Set(text string) error {
	switch text {
	case "true":
		*t = Trace{Changes: true}
	case "false":
		*t = Trace{}
	case "objects":
		*t = Trace{Objects: true}
	default:
		return fmt.Errorf("use --trace or --trace=objects")
	}
	return nil
}

// Step is a recorded stage of a request, with the object before and after it.
type Step struct {
	Stage         fieldmanager.Stage
	Before, After map[string]any
}

// stepRecorder records the stages of one request. After this request, it records nothing more:
// later predictions use the same request to find out how its conflicts could be resolved.
type stepRecorder struct {
	all  []Step
	done bool
}

// tracer returns a function that records the stages of the request for the outcome, or nil without
// --trace.
func (m *Requester) tracer(o *Outcome) func(stage fieldmanager.Stage, before, after map[string]any) {
	if !m.Trace.Enabled() {
		return nil
	}
	o.steps = &stepRecorder{}
	return func(stage fieldmanager.Stage, before, after map[string]any) {
		// In these stages, show the original object instead of the object that was prepared for
		// validation.
		switch stage {
		case predict.StageReceived:
			before = o.Object.Content
		case predict.StageLiveConverted:
			before = o.Live.Content
		}
		o.steps.add(Step{stage, before, after})
	}
}

// add records a step. It combines consecutive steps in which the server reads the object back.
func (s *stepRecorder) add(step Step) {
	if s.done {
		return
	}
	if n := len(s.all); step.Stage == predict.StageReadBack && n > 0 && s.all[n-1].Stage == step.Stage {
		s.all[n-1].After = step.After
		return
	}
	s.all = append(s.all, step)
}

// Steps returns the stages of the request for the outcome. It returns nil without --trace, or if no
// request was made.
func (o *Outcome) Steps() []Step {
	if o.steps == nil {
		return nil
	}
	return o.steps.all
}
