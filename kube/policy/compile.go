// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	v1 "k8s.io/api/admissionregistration/v1"
	plugin "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"
)

// base returns the environment for compiling expressions. The first call creates it.
var base = sync.OnceValue(func() *environment.EnvSet {
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
})

// expression is a CEL expression of a policy. types lists the types that its result can have.
type expression struct {
	text  string
	types []*cel.Type
}

func (e *expression) GetExpression() string    { return e.text }
func (e *expression) ReturnTypes() []*cel.Type { return e.types }

// variable is a named expression.
type variable struct {
	expression
	name string
}

func (v *variable) GetName() string { return v.name }

// compiler compiles the expressions of one policy.
type compiler struct {
	*objectDecoder
	*plugin.CompositedCompiler
	env    *cel.Env
	has    plugin.OptionalVariableDeclarations
	policy *policy
}

// newCompiler compiles the variables of a policy, and returns a compiler for the other
// expressions.
func (d *objectDecoder) newCompiler(p *policy, variables []v1.Variable) *compiler {
	composited, err := plugin.NewCompositedCompiler(base())
	if err != nil {
		d.failf("", "%v", err)
		return nil
	}
	c := &compiler{objectDecoder: d, CompositedCompiler: composited, policy: p,
		has: plugin.OptionalVariableDeclarations{HasParams: p.spec.paramKind != nil, HasAuthorizer: true}}
	if c.env, err = composited.Env(environment.StoredExpressions); err != nil {
		d.failf("", "%v", err)
		return nil
	}
	for i, v := range variables {
		path := fmt.Sprintf(".spec.variables[%d]", i)
		if !identifier.MatchString(v.Name) {
			d.failf(path+".name", "want a CEL identifier, found %q", v.Name)
		}
		at := &variable{expression{v.Expression, []*cel.Type{cel.AnyType, cel.DynType}}, v.Name}
		c.check(path+".expression", v.Expression, c.CompileAndStoreVariable(at, c.has, environment.StoredExpressions))
	}
	return c
}

var identifier = regexp.MustCompile(`^[_a-zA-Z][_a-zA-Z0-9]*$`)

// check reports the error of a compiled expression. If the expression has no error, check records
// which data it uses, such as the user of the request.
func (c *compiler) check(path, text string, compiled plugin.CompilationResult) {
	if compiled.Error != nil {
		c.failf(path, "%s", oneLine(compiled.Error.Error()))
		return
	}
	c.policy.uses.record(c.env, path, text)
}

// oneLine turns a compiler message into one line, without the lines that repeat the
// expression.
func oneLine(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, " | ") })
	return strings.Join(lines, "; ")
}

// checkAll compiles and checks all expressions in a list, except nil expressions. The argument path is
// the path of an expression, with %d in place of its index.
func (c *compiler) checkAll(path string, all []plugin.ExpressionAccessor, has plugin.OptionalVariableDeclarations) {
	for i, e := range all {
		if e != nil {
			c.check(fmt.Sprintf(path, i), e.GetExpression(), c.CompileCELExpression(e, has, environment.StoredExpressions))
		}
	}
}

// conditions returns a matcher for the match conditions of a policy, or nil if it has
// none.
func (c *compiler) conditions(conditions []v1.MatchCondition) matchconditions.Matcher {
	if len(conditions) == 0 {
		return nil
	}
	all := make([]plugin.ExpressionAccessor, len(conditions))
	for i := range conditions {
		all[i] = (*matchconditions.MatchCondition)(&conditions[i])
	}
	c.checkAll(".spec.matchConditions[%d].expression", all, c.has)
	failure := c.policy.spec.failure
	return matchconditions.NewMatcher(c.CompileCondition(all, c.has, environment.StoredExpressions), &failure, "policy", "validate", c.policy.name)
}
