package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
)

type schemaQuestion struct {
	Schema apiextensionsv1.JSONSchemaProps `json:"schema"`
	Object json.RawMessage                 `json:"object"`
	Old    json.RawMessage                 `json:"old,omitempty"`
}

type schemaAnswer struct {
	// Problem is set instead of all other members if the schema is not structural.
	Problem string `json:"problem,omitempty"`
	// Defaults are the errors of the schema's defaults.
	Defaults []string `json:"defaults"`
	// Unknown are the paths of pruned fields.
	Unknown  []string       `json:"unknown"`
	Coercion string         `json:"coercion,omitempty"`
	Object   map[string]any `json:"object"`
	Errors   []string       `json:"errors"`
	// Update are the errors of an update from the old object.
	Update    []string `json:"update"`
	ListTypes []string `json:"listTypes"`
	Embedded  []string `json:"embedded"`
}

// applySchema applies the schema of a custom resource to an object.
func applySchema(asked schemaQuestion) (out schemaAnswer) {
	defer func() {
		if reason := recover(); reason != nil {
			out = schemaAnswer{Problem: fmt.Sprintf("panic: %v", reason)}
		}
	}()
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&asked.Schema, internal, nil); err != nil {
		return schemaAnswer{Problem: err.Error()}
	}
	structural, err := structuralschema.NewStructural(internal)
	if err != nil {
		return schemaAnswer{Problem: err.Error()}
	}
	if errs := structuralschema.ValidateStructural(nil, structural); len(errs) > 0 {
		return schemaAnswer{Problem: errs.ToAggregate().Error()}
	}
	defaults, err := defaulting.ValidateDefaults(context.Background(), nil, structural.DeepCopy(), true, true)
	if err != nil {
		return schemaAnswer{Problem: err.Error()}
	}
	out.Defaults = messages(defaults)
	if err := defaulting.PruneDefaults(structural); err != nil {
		return schemaAnswer{Problem: err.Error()}
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return schemaAnswer{Problem: err.Error()}
	}
	var coercion *field.Error
	out.Object, out.Unknown, coercion = decodeObject(asked.Object, structural)
	if coercion != nil {
		// The object is only partly coerced.
		return schemaAnswer{Coercion: text(coercion)}
	}
	out.Errors = messages(validation.ValidateCustomResource(nil, out.Object, validator))
	out.ListTypes = messages(listtype.ValidateListSetsAndMaps(nil, structural, out.Object))
	out.Embedded = messages(objectmeta.Validate(nil, out.Object, structural, false))
	if asked.Old != nil {
		old, _, _ := decodeObject(asked.Old, structural)
		correlated := common.NewCorrelatedObject(out.Object, old, &model.Structural{Structural: structural})
		out.Update = messages(validation.ValidateCustomResourceUpdate(nil, out.Object, old, validator, validation.WithRatcheting(correlated)))
	}
	return out
}

// decodeObject reads an object, prunes it, coerces embedded metadata and sets defaults.
func decodeObject(raw []byte, schema *structuralschema.Structural) (map[string]any, []string, *field.Error) {
	var object map[string]any
	if err := utiljson.Unmarshal(raw, &object); err != nil {
		panic(err)
	}
	unknown := pruning.PruneWithOptions(object, schema, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(object, schema)
	err, paths := objectmeta.CoerceWithOptions(nil, object, schema, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if err == nil {
		unknown = append(unknown, paths...)
	}
	defaulting.Default(object, schema)
	if unknown == nil {
		unknown = []string{}
	}
	return object, unknown, err
}

func messages(errs field.ErrorList) []string {
	texts := []string{}
	for _, err := range errs {
		texts = append(texts, text(err))
	}
	// Upstream visits the members of objects in random order.
	sort.Strings(texts)
	return texts
}

func text(err *field.Error) string {
	return string(err.Type) + " " + err.Error()
}
