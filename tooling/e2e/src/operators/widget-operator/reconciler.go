package main

import (
	"context"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const finalizer = group + "/archive"

// reconciler keeps a config map for each widget, reports it in the status, and records removed widgets in the config map "archive".
type reconciler struct {
	client.Client
	identity string
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var widget Widget
	if err := r.Get(ctx, request.NamespacedName, &widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !widget.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.archive(ctx, &widget)
	}
	if controllerutil.AddFinalizer(&widget, finalizer) {
		if err := r.Update(ctx, &widget); err != nil {
			return ctrl.Result{}, err
		}
	}
	config := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: widget.Namespace, Name: widget.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, &config, func() error {
		config.Data = map[string]string{"millimetres": strconv.FormatInt(widget.Spec.Size.Millimetres, 10), "text": widget.Spec.Text}
		return controllerutil.SetControllerReference(&widget, &config, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.report(ctx, &widget, config.Name)
}

// report writes the status with a patch, which changes no other field.
func (r *reconciler) report(ctx context.Context, widget *Widget, configMap string) error {
	before := client.MergeFrom(widget.DeepCopyObject().(*Widget))
	widget.Status.ObservedGeneration = widget.Generation
	widget.Status.ConfigMap = configMap
	if widget.Spec.Replicas != nil {
		widget.Status.Replicas = *widget.Spec.Replicas
	}
	meta.SetStatusCondition(&widget.Status.Conditions, metav1.Condition{
		Type:               "Ready",
		Status:             metav1.ConditionTrue,
		Reason:             "Configured",
		Message:            "configured by " + r.identity,
		ObservedGeneration: widget.Generation,
	})
	return r.Status().Patch(ctx, widget, before)
}

// archive adds the widget to the config map "archive" and removes the finalizer.
func (r *reconciler) archive(ctx context.Context, widget *Widget) error {
	archive := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: widget.Namespace, Name: "archive"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, &archive, func() error {
		if archive.Data == nil {
			archive.Data = map[string]string{}
		}
		archive.Data[widget.Name] = widget.Spec.Text
		return nil
	})
	if err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(widget, finalizer)
	if err := r.Update(ctx, widget); !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}
