// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import "github.com/dovetail-ssa/dovetail/kube/openapi"

// DocumentRules lists the rules of findings that Validate returns.
var DocumentRules = []Rule{
	Malformed, TooDeep, TooLarge,
	Name, Names, Versions, Subresources, Columns, Selectable, Conversion, Approval, NoSchema,
	TypeRule, Unsupported, Items, Nested, Incomplete, Metadata, Root, Additional, IntOrString, Preserve, Embedded,
	Pattern, ListType, MapType, SetItems, ListMapKeys, openapi.KeyUnsatisfied,
	MarkerValue, MarkerPlace, MarkersExclusive, MarkerKey, MarkerVersion, Validations, Cost,
	DefaultForbidden, DefaultUnknown, openapi.DefaultValue, DefaultDuplicate, DefaultMetadata, DefaultVersion, DefaultRule,
}

// LintRules lists the rules of findings that only Lint returns.
var LintRules = []Rule{
	openapi.ZeroKey, openapi.Unreachable, openapi.BelowOptional, openapi.SetOfObjects, MarkerIdle, OrderedSet, ConditionsKey, NullDefault, openapi.NoListType, OldVersion, UnknownKeyword, BoundFormat, EmptyRange, RequiredUnknown, ColumnPath, EnumFormat, KeyDefaultDiffers, MergeTypeDiffers, TypeDiffers, BooleanName, EmptyObject, EnumType, ExampleType, MarkerUnenforced,
}
