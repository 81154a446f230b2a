package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/warning"
)

type ruleQuestion struct {
	Schema apiextensionsv1.JSONSchemaProps `json:"schema"`
	Object json.RawMessage                 `json:"object"`
	Old    json.RawMessage                 `json:"old"`
}

type ruleAnswer struct {
	// Definition has the errors of the rules.
	Definition []string `json:"definition"`
	// Costs has the estimated costs of the rules and of their message expressions.
	Costs []string `json:"costs"`
	// Errors, Warnings and Remaining are the results for the object.
	Errors    []string `json:"errors"`
	Warnings  []string `json:"warnings"`
	Remaining int64    `json:"remaining"`
	Panic     string   `json:"panic,omitempty"`
}

type recorder struct{ texts []string }

func (r *recorder) AddWarning(_, text string) { r.texts = append(r.texts, text) }

// validateByRules validates the rules of a CustomResourceDefinition, and an object by these rules.
func validateByRules(asked ruleQuestion) (out ruleAnswer) {
	out = ruleAnswer{Definition: []string{}, Costs: []string{}, Errors: []string{}, Warnings: []string{}}
	defer func() {
		if reason := recover(); reason != nil {
			out.Panic = fmt.Sprint(reason)
		}
	}()
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&asked.Schema, &internal, nil); err != nil {
		panic(err)
	}
	out.Definition = definitionErrors(&internal)
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		panic(err)
	}
	costs(structural, model.SchemaDeclType(structural, true), &out)
	validator := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	if validator == nil {
		return out
	}
	object, old := decodeValue(asked.Object), decodeValue(asked.Old)
	warnings := &recorder{}
	ctx := warning.WithWarningRecorder(context.Background(), warnings)
	var options []cel.Option
	if old != nil {
		options = append(options, cel.WithRatcheting(common.NewCorrelatedObject(object, old, &model.Structural{Structural: structural})))
	}
	errs, remaining := validator.Validate(ctx, nil, structural, object, old, celconfig.RuntimeCELCostBudget, options...)
	for _, err := range errs {
		out.Errors = append(out.Errors, err.Error())
	}
	sort.Strings(out.Errors)
	out.Warnings = append(out.Warnings, warnings.texts...)
	sort.Strings(out.Warnings)
	out.Remaining = remaining
	return out
}

// definitionErrors validates a definition with the schema and returns the errors about its rules.
func definitionErrors(props *apiextensions.JSONSchemaProps) []string {
	preserve := false
	definition := &apiextensions.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group:                 "example.com",
			Scope:                 apiextensions.NamespaceScoped,
			Names:                 apiextensions.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
			Versions:              []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}},
			Validation:            &apiextensions.CustomResourceValidation{OpenAPIV3Schema: props},
			PreserveUnknownFields: &preserve,
			Conversion:            &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter},
		},
		Status: apiextensions.CustomResourceDefinitionStatus{StoredVersions: []string{"v1"}},
	}
	texts := []string{}
	for _, err := range validation.ValidateCustomResourceDefinition(context.Background(), definition) {
		texts = append(texts, err.Error())
	}
	sort.Strings(texts)
	return texts
}

// costs compiles the rules at and below a schema.
func costs(s *schema.Structural, declType *apiservercel.DeclType, out *ruleAnswer) {
	if s == nil || declType == nil {
		return
	}
	set := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	results, err := cel.Compile(s, declType, celconfig.PerCallLimit, set, cel.NewExpressionsEnvLoader())
	if err != nil {
		out.Costs = append(out.Costs, err.Error())
	}
	for _, result := range results {
		out.Costs = append(out.Costs, fmt.Sprintf("%d %d %d", result.MaxCost, result.MessageExpressionMaxCost, result.MaxCardinality))
	}
	costs(s.Items, declType.ElemType, out)
	if s.AdditionalProperties != nil {
		costs(s.AdditionalProperties.Structural, declType.ElemType, out)
	}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		property := s.Properties[name]
		if escaped, ok := apiservercel.Escape(name); ok {
			if field, ok := declType.Fields[escaped]; ok {
				costs(&property, field.Type, out)
			}
		} else {
			costs(&property, model.SchemaDeclType(&property, property.XEmbeddedResource), out)
		}
	}
}

func decodeValue(text json.RawMessage) any {
	if len(text) == 0 || strings.TrimSpace(string(text)) == "null" {
		return nil
	}
	var value any
	if err := utiljson.Unmarshal(text, &value); err != nil {
		panic(err)
	}
	return clip(value)
}

// clip removes the spare capacity of slices. kube-apiserver's list concatenation overwrites it, so that results would depend on the decoder.
func clip(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = clip(v[i])
		}
		return slices.Clip(v)
	case map[string]any:
		for k := range v {
			v[k] = clip(v[k])
		}
	}
	return value
}
