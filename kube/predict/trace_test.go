// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

type step struct {
	stage         fieldmanager.Stage
	before, after map[string]any
}

// traced predicts a request with and without a trace, and checks that both predictions are
// equal.
func traced(t *testing.T, s *predict.Server, r *predict.Request) (steps []step, done *predict.Prediction, err error) {
	t.Helper()
	want, wantErr := s.Predict(r)
	with := *r
	with.Trace = func(stage fieldmanager.Stage, before, after map[string]any) {
		steps = append(steps, step{stage, before, after})
	}
	done, err = s.Predict(&with)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("with a trace %v, without %v", err, wantErr)
	}
	if err == nil && !reflect.DeepEqual(done.Object, want.Object) {
		t.Fatalf("with a trace %v, without %v", done.Object, want.Object)
	}
	return steps, done, err
}

func withoutOwners(object map[string]any) map[string]any {
	plain := map[string]any{}
	for k, v := range object {
		plain[k] = v
	}
	if metadata, ok := object["metadata"].(map[string]any); ok {
		copied := map[string]any{}
		for k, v := range metadata {
			if k != "managedFields" {
				copied[k] = v
			}
		}
		plain["metadata"] = copied
	}
	return plain
}

const tracedService = `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop"},
	"spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}}`

// Each stage must start with the result of the stage before. The last stage must end with
// the predicted object.
func TestTrace(t *testing.T) {
	s := goServer(t)
	live := request(t, s, &predict.Request{Verb: predict.Create, Manager: "a", Time: time.Unix(0, 0), Object: object(t, tracedService)}).Object
	read := []fieldmanager.Stage{predict.StageLiveConverted, predict.StageLiveDecoded, predict.StageLiveDefaulted}
	admitted := []fieldmanager.Stage{predict.StageAdmission, predict.StageStrategy, predict.StageEncoded, predict.StageGeneration}
	completed := slices.Concat([]fieldmanager.Stage{predict.StageMetadata, predict.StageDecoded, predict.StageDefaulted}, admitted)
	ended := []fieldmanager.Stage{fieldmanager.StageReset, fieldmanager.StageOwners}
	updated := slices.Concat([]fieldmanager.Stage{predict.StageMetadata, predict.StageDecoded, predict.StageDefaulted, fieldmanager.StagePrepared}, ended)
	first, last := []fieldmanager.Stage{predict.StageReceived}, []fieldmanager.Stage{predict.StageReadBack}
	applied := []fieldmanager.Stage{fieldmanager.StagePrepared, fieldmanager.StageMerged}
	changed := object(t, strings.Replace(tracedService, `"port": 80`, `"port": 81`, 1))
	for _, c := range []struct {
		name         string
		verb         predict.Verb
		object, live map[string]any
		want         [][]fieldmanager.Stage
	}{
		{"create", predict.Create, changed, nil, [][]fieldmanager.Stage{first, updated, admitted, last}},
		{"update", predict.Update, changed, live, [][]fieldmanager.Stage{first, read, updated, admitted, last}},
		{"update that changes nothing", predict.Update, live, live, [][]fieldmanager.Stage{first, read, updated, last}},
		{"apply of a new object", predict.Apply, changed, nil, [][]fieldmanager.Stage{first, applied, completed, ended, last}},
		{"apply", predict.Apply, changed, live, [][]fieldmanager.Stage{first, read, applied, completed, ended, last}},
		{"apply that changes nothing", predict.Apply, object(t, tracedService), live, [][]fieldmanager.Stage{first, read, applied, ended, last}},
	} {
		t.Run(c.name, func(t *testing.T) {
			steps, done, err := traced(t, s, &predict.Request{Verb: c.verb, Manager: "b", Time: time.Unix(60, 0), Object: c.object, Live: c.live})
			if err != nil {
				t.Fatal(err)
			}
			var stages []fieldmanager.Stage
			for _, s := range steps {
				stages = append(stages, s.stage)
			}
			if want := slices.Concat(c.want...); !slices.Equal(stages, want) {
				t.Fatalf("got %q, want %q", stages, want)
			}
			var object map[string]any
			for _, s := range steps {
				ofLive := slices.Contains(read, s.stage)
				starts := s.stage == fieldmanager.StageMerged // the merge starts with the live object
				if object != nil && !ofLive && !starts && !reflect.DeepEqual(withoutOwners(s.before), withoutOwners(object)) {
					t.Errorf("stage %q starts with %v, but the stage before ended with %v", s.stage, s.before, object)
				}
				if !ofLive {
					object = s.after
				}
			}
			if !reflect.DeepEqual(object, done.Object) {
				t.Errorf("the last stage ended with %v, but the prediction has %v", object, done.Object)
			}
		})
	}
}

// A rejected request must have no stages after the one that rejects it, although the field
// manager computes a forced apply to explain the conflicts.
func TestTraceOfConflict(t *testing.T) {
	s := goServer(t)
	live := request(t, s, &predict.Request{Verb: predict.Apply, Manager: "a", Time: time.Unix(0, 0), Object: object(t, tracedService)}).Object
	steps, _, err := traced(t, s, &predict.Request{Verb: predict.Apply, Manager: "b", Time: time.Unix(0, 0), Live: live,
		Object: object(t, strings.Replace(tracedService, `"app": "web"`, `"app": "shop"`, 1))})
	var conflict *fieldmanager.ConflictError
	if !errors.As(err, &conflict) {
		t.Fatalf("got %v, want a conflict", err)
	}
	if last := steps[len(steps)-1].stage; last != fieldmanager.StagePrepared {
		t.Errorf("the last stage is %q, want %q", last, fieldmanager.StagePrepared)
	}
}
