package checks

import (
	"context"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	appsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/dynamic"
)

var apply = []check{
	{"typed-conflict-and-force", typedApply},
	{"extract-change-and-apply", extractAndApply},
	{"status-and-scale", applyToSubresources},
	{"dynamic", dynamicApply},
}

func deployment(name string, replicas int32) *appsv1.DeploymentApplyConfiguration {
	labels := map[string]string{"app": name}
	container := corev1.Container().WithName("c").WithImage("nginx").WithPorts(corev1.ContainerPort().WithContainerPort(80))
	return appsv1.Deployment(name, namespace).WithSpec(appsv1.DeploymentSpec().
		WithReplicas(replicas).
		WithSelector(applymeta.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(corev1.PodTemplateSpec().WithLabels(labels).WithSpec(corev1.PodSpec().WithContainers(container))))
}

func typedApply(ctx context.Context, target Target) {
	deployments := target.Client.AppsV1().Deployments(namespace)
	by := func(manager string) metav1.ApplyOptions { return metav1.ApplyOptions{FieldManager: manager} }
	made := need(deployments.Apply(ctx, deployment("applied", 1), by("one")))
	same := need(deployments.Apply(ctx, deployment("applied", 1), by("one")))
	equal(same.ResourceVersion, made.ResourceVersion)
	_, err := deployments.Apply(ctx, deployment("applied", 2), by("two"))
	refused(err, errors.IsConflict, `conflict with "one"`)
	cause := err.(errors.APIStatus).Status().Details.Causes[0]
	equal([]string{string(cause.Type), cause.Field}, []string{"FieldManagerConflict", ".spec.replicas"})
	forced := need(deployments.Apply(ctx, deployment("applied", 2), metav1.ApplyOptions{FieldManager: "two", Force: true}))
	equal(*forced.Spec.Replicas, 2)

	// Both managers own the container; it is removed when the last one releases it.
	more := deployment("applied", 2)
	more.Spec.Template.Spec.WithContainers(corev1.Container().WithName("side").WithImage("busybox"))
	equal(len(need(deployments.Apply(ctx, more, by("two"))).Spec.Template.Spec.Containers), 2)
	equal(len(need(deployments.Apply(ctx, deployment("applied", 2), by("two"))).Spec.Template.Spec.Containers), 1)
}

func extractAndApply(ctx context.Context, target Target) {
	deployments := target.Client.AppsV1().Deployments(namespace)
	options := metav1.ApplyOptions{FieldManager: "extractor"}
	made := need(deployments.Apply(ctx, deployment("extracted", 3), options))
	own := need(appsv1.ExtractDeployment(made, "extractor"))
	equal(*own.Spec.Replicas, 3)
	equal(*own.Spec.Template.Spec.Containers[0].Ports[0].ContainerPort, 80)
	expect(own.Spec.Strategy == nil && own.Spec.Template.Spec.DNSPolicy == nil, "defaults are not the extractor's")
	own.WithLabels(map[string]string{"new": "label"}).Spec.Replicas = nil
	changed := need(deployments.Apply(ctx, own, options))
	equal(changed.Labels, map[string]string{"new": "label"})
	equal(*changed.Spec.Replicas, 1)
}

func applyToSubresources(ctx context.Context, target Target) {
	deployments := target.Client.AppsV1().Deployments(namespace)
	need(deployments.Apply(ctx, deployment("parts", 1), metav1.ApplyOptions{FieldManager: "maker"}))
	status := appsv1.Deployment("parts", namespace).WithStatus(appsv1.DeploymentStatus().WithReplicas(1).WithObservedGeneration(1))
	applied := need(deployments.ApplyStatus(ctx, status, metav1.ApplyOptions{FieldManager: "controller"}))
	equal(applied.Status.Replicas, 1)
	for _, entry := range applied.ManagedFields {
		equal(entry.Manager+" "+entry.Subresource, map[string]string{"maker": "maker ", "controller": "controller status"}[entry.Manager])
	}
}

func dynamicApply(ctx context.Context, target Target) {
	client := need(dynamic.NewForConfig(target.Config)).Resource(configMaps).Namespace(namespace)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "dynamically"}, "data": map[string]any{"a": "1"},
	}}
	applied := need(client.Apply(ctx, "dynamically", object, metav1.ApplyOptions{FieldManager: "dynamic"}))
	equal(applied.Object["data"].(map[string]any), map[string]any{"a": "1"})
	equal(applied.GetManagedFields()[0].Operation, metav1.ManagedFieldsOperationApply)
}
