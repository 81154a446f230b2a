package main

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const maxMillimetres = 1000

// defaulter sets the text of widgets without one, and records the user that created a widget.
type defaulter struct{}

func (defaulter) Default(ctx context.Context, widget *Widget) error {
	request, err := admission.RequestFromContext(ctx)
	if err != nil {
		return err
	}
	if widget.Spec.Text == "" {
		widget.Spec.Text = "default"
	}
	if request.Operation == "CREATE" {
		if widget.Annotations == nil {
			widget.Annotations = map[string]string{}
		}
		widget.Annotations[group+"/created-by"] = request.UserInfo.Username
	}
	return nil
}

// validator refuses widgets that are too large or shrink, and the removal of protected widgets.
type validator struct{}

func (validator) ValidateCreate(_ context.Context, widget *Widget) (admission.Warnings, error) {
	if size := widget.Spec.Size.Millimetres; size > maxMillimetres {
		return nil, fmt.Errorf("%d mm are more than %d mm", size, maxMillimetres)
	}
	return nil, nil
}

func (v validator) ValidateUpdate(ctx context.Context, before, widget *Widget) (admission.Warnings, error) {
	if widget.Spec.Size.Millimetres < before.Spec.Size.Millimetres {
		return nil, fmt.Errorf("a widget of %d mm cannot shrink", before.Spec.Size.Millimetres)
	}
	return v.ValidateCreate(ctx, widget)
}

func (validator) ValidateDelete(_ context.Context, widget *Widget) (admission.Warnings, error) {
	if widget.Labels["protected"] == "yes" {
		return nil, fmt.Errorf("widget %s is protected", widget.Name)
	}
	return nil, nil
}
