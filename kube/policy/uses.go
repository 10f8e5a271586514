// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
)

// uses records whether the expressions of a policy use data that may be unknown. Each field is the
// path of the first expression that uses the data, or "".
type uses struct {
	authorizer, user, namespace string
}

// record records which data the expression at a path uses.
func (u *uses) record(env *cel.Env, path, expression string) {
	parsed, issues := env.Parse(expression)
	if issues.Err() != nil {
		return // the compiler reports the error
	}
	set := func(at *string) {
		if *at == "" {
			*at = path
		}
	}
	ast.PostOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.IdentKind:
			switch e.AsIdent() {
			case "authorizer":
				set(&u.authorizer)
			case "namespaceObject":
				set(&u.namespace)
			}
		case ast.SelectKind:
			if s := e.AsSelect(); s.FieldName() == "userInfo" && s.Operand().Kind() == ast.IdentKind && s.Operand().AsIdent() == "request" {
				set(&u.user)
			}
		}
	}))
}
