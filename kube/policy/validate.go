// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	plugin "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// validation is a compiled ValidatingAdmissionPolicy.
type validation struct {
	conditions  matchconditions.Matcher
	validations []v1.Validation
	evaluator   plugin.ConditionEvaluator
	messages    plugin.ConditionEvaluator
	annotations []v1.AuditAnnotation
	audit       plugin.ConditionEvaluator
}

// validating compiles a ValidatingAdmissionPolicy.
func (d *objectDecoder) validating(p *policy, from *v1.ValidatingAdmissionPolicy) {
	c := d.newCompiler(p, from.Spec.Variables)
	if c == nil {
		return
	}
	if len(from.Spec.Validations)+len(from.Spec.AuditAnnotations) == 0 {
		d.failf(".spec.validations", "is required, unless there are auditAnnotations")
	}
	v := &validation{conditions: c.conditions(from.Spec.MatchConditions), validations: from.Spec.Validations, annotations: from.Spec.AuditAnnotations}
	var all, messages, audit []plugin.ExpressionAccessor
	for i, w := range from.Spec.Validations {
		if r := w.Reason; r != nil && *r != metav1.StatusReasonForbidden && *r != metav1.StatusReasonInvalid && *r != metav1.StatusReasonRequestEntityTooLarge {
			d.failf(fmt.Sprintf(".spec.validations[%d].reason", i), "want Forbidden, Invalid or RequestEntityTooLarge, found %q", *r)
		}
		all = append(all, &expression{w.Expression, []*cel.Type{cel.BoolType}})
		var message plugin.ExpressionAccessor
		if w.MessageExpression != "" {
			message = &expression{w.MessageExpression, []*cel.Type{cel.StringType}}
		}
		messages = append(messages, message)
	}
	for _, a := range from.Spec.AuditAnnotations {
		audit = append(audit, &expression{a.ValueExpression, []*cel.Type{cel.StringType, cel.NullType}})
	}
	messageOptions := c.has
	messageOptions.HasAuthorizer = false
	c.checkAll(".spec.validations[%d].expression", all, c.has)
	c.checkAll(".spec.validations[%d].messageExpression", messages, messageOptions)
	c.checkAll(".spec.auditAnnotations[%d].valueExpression", audit, c.has)
	v.evaluator = c.CompileCondition(all, c.has, environment.StoredExpressions)
	v.messages = c.CompileCondition(messages, messageOptions, environment.StoredExpressions)
	v.audit = c.CompileCondition(audit, c.has, environment.StoredExpressions)
	p.validation = v
}

// failure is one reason to deny a request.
type failure struct {
	policy, binding string
	message         string
	reason          metav1.StatusReason
}

func (f *failure) String() string {
	if f.binding == "" {
		return fmt.Sprintf("%s '%s' denied request: %s", validatingKind, f.policy, f.message)
	}
	return fmt.Sprintf("%s '%s' with binding '%s' denied request: %s", validatingKind, f.policy, f.binding, f.message)
}

// Validate evaluates the validating policies on an object that is about to be stored. If a
// policy denies the request, the error is a *fieldmanager.RequestError.
func (s *Set) Validate(a *predict.Admission) (*predict.AdmissionResult, error) {
	answer := &predict.AdmissionResult{Object: a.Object, Audit: map[string]string{}}
	if len(s.validating) == 0 {
		return answer, nil
	}
	r := s.newRequest(a)
	if r == nil {
		return answer, nil
	}
	v := &validator{request: r, answer: answer, versions: map[gvk]*admission.VersionedAttributes{}}
	for _, p := range s.validating {
		if err := v.validate(p); err != nil {
			return nil, err
		}
	}
	answer.Unknown = r.unknown
	v.publishAudited()
	if len(v.denied) == 0 {
		return answer, nil
	}
	reason := v.denied[0].reason
	if reason == "" {
		reason = metav1.StatusReasonInvalid
	}
	return nil, &fieldmanager.RequestError{Status: codeOf(reason), Message: admission.NewForbidden(r.Attributes, errors.New(v.denied[0].String())).Error()}
}

// codeOf returns the HTTP status for the reason field of a validation.
func codeOf(reason metav1.StatusReason) int {
	switch reason {
	case metav1.StatusReasonForbidden:
		return http.StatusForbidden
	case metav1.StatusReasonRequestEntityTooLarge:
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusUnprocessableEntity
}

// validator evaluates policies on one request and collects the results.
type validator struct {
	*request
	answer   *predict.AdmissionResult
	denied   []failure
	audited  []audited
	versions map[gvk]*admission.VersionedAttributes
}

// audited describes a failed validation in the audit event. The event has an annotation with a list of
// such descriptions, as JSON.
type audited struct {
	Message           string                `json:"message"`
	Policy            string                `json:"policy"`
	Binding           string                `json:"binding"`
	ExpressionIndex   int                   `json:"expressionIndex"`
	ValidationActions []v1.ValidationAction `json:"validationActions"`
}

// reportConfigError records that a policy cannot be evaluated. The policy then denies the
// request, unless its failurePolicy is Ignore. If err says that the input of the policy is missing,
// reportConfigError returns an error and records nothing.
func (v *validator) reportConfigError(p *policy, binding string, err error) error {
	if missing := p.missingInput(err); missing != nil {
		return missing
	}
	if p.spec.failure == v1.Ignore {
		return nil
	}
	what := "policy"
	if binding != "" {
		what = "binding"
	}
	v.denied = append(v.denied, failure{p.name, binding, fmt.Sprintf("failed to configure %s: %v", what, err), ""})
	return nil
}

// validate evaluates one policy for all its bindings.
func (v *validator) validate(p *policy) error {
	on, ok, err := v.matches(p.spec.constraints)
	if err != nil {
		return v.reportConfigError(p, "", err)
	}
	if !ok {
		return nil
	}
	annotations := map[string][]string{}
	for i := range p.bindings {
		b := &p.bindings[i]
		if err := v.validateBinding(p, b, on, annotations); err != nil {
			if err = v.reportConfigError(p, b.name, err); err != nil {
				return err
			}
		}
	}
	for key, values := range annotations {
		v.answer.Audit[p.name+"/"+key] = strings.Join(values, ", ")
	}
	return nil
}

// validateBinding evaluates a policy for one of its bindings. It returns an error if the
// policy cannot be evaluated.
func (v *validator) validateBinding(p *policy, b *binding, on matched, annotations map[string][]string) error {
	if b.resources != nil {
		if _, ok, err := v.matches(b.resources); !ok || err != nil {
			return err
		}
	}
	if known, err := v.canEvaluate(p); !known || err != nil {
		return err
	}
	params, err := v.paramsOf(p, b)
	if len(params) == 0 || err != nil {
		return err
	}
	at := v.versions[on.kind]
	if at == nil {
		if at, err = v.versioned(on.kind); err != nil {
			return fmt.Errorf("failed to convert object version: %w", err)
		}
		v.versions[on.kind] = at
	}
	for _, param := range params {
		found, notes := v.evaluate(p, at, on, param)
		for _, d := range found {
			v.act(p, b, d)
		}
		for _, n := range notes {
			if n.err != "" {
				v.denied = append(v.denied, failure{p.name, b.name, n.err, ""})
			} else if !slices.Contains(annotations[n.key], n.value) {
				annotations[n.key] = append(annotations[n.key], n.value)
			}
		}
	}
	return nil
}

// act performs the actions that a binding specifies for a failed validation: deny, warn or audit.
func (v *validator) act(p *policy, b *binding, d decision) {
	for _, action := range b.actions {
		switch action {
		case v1.Deny:
			v.denied = append(v.denied, failure{p.name, b.name, d.message, d.reason})
		case v1.Audit:
			v.audited = append(v.audited, audited{d.message, p.name, b.name, d.at, b.actions})
		case v1.Warn:
			v.answer.Warnings = append(v.answer.Warnings, fmt.Sprintf("Validation failed for %s '%s' with binding '%s': %s", validatingKind, p.name, b.name, d.message))
		}
	}
}

// maxAuditedFailures is the maximum number of failures in an audit event.
const maxAuditedFailures = 50

func (v *validator) publishAudited() {
	if len(v.audited) == 0 {
		return
	}
	if data, err := json.Marshal(v.audited[:min(len(v.audited), maxAuditedFailures)]); err == nil {
		v.answer.Audit["validation.policy.admission.k8s.io/validation_failure"] = string(data)
	}
}

// decision describes a failed validation by its index and its message.
type decision struct {
	at      int
	message string
	reason  metav1.StatusReason
}

// annotation is an annotation for the audit event. err is the error if the value could not be
// computed.
type annotation struct{ key, value, err string }

// maxAnnotationLength is the maximum size of an annotation value in bytes.
const maxAnnotationLength = 10 * 1024

// evaluate evaluates a policy with one of its params.
func (r *request) evaluate(p *policy, at *admission.VersionedAttributes, on matched, param runtime.Object) (denied []decision, notes []annotation) {
	ctx, v := context.Background(), p.validation
	fails := func(message string) []decision {
		if p.spec.failure == v1.Ignore {
			return nil
		}
		return []decision{{message: message}}
	}
	if v.conditions != nil {
		m := v.conditions.Match(ctx, at, param, nil)
		if m.Error != nil {
			return fails(m.Error.Error()), nil
		}
		if !m.Matches {
			return nil, nil
		}
	}
	asked := plugin.CreateAdmissionRequest(at.Attributes, metav1.GroupVersionResource(on.resource), metav1.GroupVersionKind(on.kind))
	with := plugin.OptionalVariableBindings{VersionedParams: param}
	ns := plugin.CreateNamespaceObject(r.namespace())
	results, left, err := v.evaluator.ForInput(ctx, at, asked, with, ns, celconfig.RuntimeCELCostBudget)
	if err != nil {
		return fails(err.Error()), nil
	}
	messages, _, messagesErr := v.messages.ForInput(ctx, at, asked, with, ns, left)
	for i, result := range results {
		var failed []decision
		switch {
		case result.Error != nil:
			failed = fails(result.Error.Error())
		case errors.Is(messagesErr, apiservercel.ErrInternal), errors.Is(messagesErr, apiservercel.ErrOutOfBudget):
			failed = fails(fmt.Sprintf("failed messageExpression: %s", messagesErr))
		case result.EvalResult != types.True:
			d := decision{message: messageOf(&v.validations[i], messages, i), reason: metav1.StatusReasonInvalid}
			if reason := v.validations[i].Reason; reason != nil {
				d.reason = *reason
			}
			failed = []decision{d}
		}
		for _, d := range failed {
			d.at = i
			denied = append(denied, d)
		}
	}
	noted, _, err := v.audit.ForInput(ctx, at, asked, with, ns, celconfig.RuntimeCELCostBudget)
	if err != nil {
		return fails(err.Error()), nil
	}
	for i, result := range noted {
		n := annotation{key: v.annotations[i].Key}
		if result.Error != nil {
			if n.err = result.Error.Error(); p.spec.failure == v1.Ignore {
				continue
			}
		} else if text, ok := result.EvalResult.Value().(string); ok {
			n.value = strings.TrimSpace(text)
		}
		if len(n.value) > maxAnnotationLength {
			n.value = n.value[:maxAnnotationLength]
		}
		if n.value != "" || n.err != "" {
			notes = append(notes, n)
		}
	}
	return denied, notes
}

// messageOf returns the message of a failed validation. It prefers the result of messageExpression, if
// that result is a single line and not too long. The second choice is the field "message". If both are
// missing, messageOf returns a text with the expression.
func messageOf(v *v1.Validation, messages []plugin.EvaluationResult, i int) string {
	if i < len(messages) && messages[i].Error == nil && messages[i].EvalResult != nil {
		if text, ok := messages[i].EvalResult.Value().(string); ok {
			text = strings.TrimSpace(text)
			if text != "" && len(text) <= celconfig.MaxEvaluatedMessageExpressionSizeBytes && !strings.Contains(text, "\n") {
				return text
			}
		}
	}
	if text := strings.TrimSpace(v.Message); text != "" {
		return text
	}
	return "failed expression: " + strings.TrimSpace(v.Expression)
}
