package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

const group = "demo.example.com"

// WidgetV1 is the old version. Its size is one number with a unit.
type WidgetV1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpecV1 `json:"spec"`
	Status            WidgetStatus `json:"status,omitempty"`
}

type WidgetSpecV1 struct {
	SizeCentimetres int64  `json:"sizeCentimetres"`
	Text            string `json:"text,omitempty"`
}

// Widget is version v2, which is stored.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec"`
	Status            WidgetStatus `json:"status,omitempty"`
}

type WidgetSpec struct {
	Size     Size   `json:"size"`
	Text     string `json:"text,omitempty"`
	Replicas *int64 `json:"replicas,omitempty"`
}

type Size struct {
	Millimetres int64 `json:"millimetres"`
}

type WidgetStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	ConfigMap          string             `json:"configMap,omitempty"`
	Replicas           int64              `json:"replicas,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

type WidgetListV1 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []WidgetV1 `json:"items"`
}

// addToScheme registers both versions.
func addToScheme(scheme *runtime.Scheme) {
	v1 := schema.GroupVersion{Group: group, Version: "v1"}
	v2 := schema.GroupVersion{Group: group, Version: "v2"}
	scheme.AddKnownTypeWithName(v1.WithKind("Widget"), &WidgetV1{})
	scheme.AddKnownTypeWithName(v1.WithKind("WidgetList"), &WidgetListV1{})
	scheme.AddKnownTypeWithName(v2.WithKind("Widget"), &Widget{})
	scheme.AddKnownTypeWithName(v2.WithKind("WidgetList"), &WidgetList{})
	metav1.AddToGroupVersion(scheme, v1)
	metav1.AddToGroupVersion(scheme, v2)
}

// Hub marks v2 as the version that all others convert to.
func (w *Widget) Hub() {}

// ConvertTo converts a widget from v1 to v2.
func (w *WidgetV1) ConvertTo(hub conversion.Hub) error {
	to := hub.(*Widget)
	to.ObjectMeta = w.ObjectMeta
	to.Spec.Size.Millimetres = w.Spec.SizeCentimetres * 10
	to.Spec.Text = w.Spec.Text
	to.Status = w.Status
	return nil
}

// ConvertFrom converts a widget from v2 to v1.
func (w *WidgetV1) ConvertFrom(hub conversion.Hub) error {
	from := hub.(*Widget)
	w.ObjectMeta = from.ObjectMeta
	w.Spec.SizeCentimetres = from.Spec.Size.Millimetres / 10
	w.Spec.Text = from.Spec.Text
	w.Status = from.Status
	return nil
}

func (s WidgetStatus) deepCopy() WidgetStatus {
	s.Conditions = append([]metav1.Condition(nil), s.Conditions...)
	return s
}

func (w *Widget) DeepCopyObject() runtime.Object {
	copied := *w
	copied.ObjectMeta = *w.ObjectMeta.DeepCopy()
	copied.Status = w.Status.deepCopy()
	if w.Spec.Replicas != nil {
		replicas := *w.Spec.Replicas
		copied.Spec.Replicas = &replicas
	}
	return &copied
}

func (w *WidgetV1) DeepCopyObject() runtime.Object {
	copied := *w
	copied.ObjectMeta = *w.ObjectMeta.DeepCopy()
	copied.Status = w.Status.deepCopy()
	return &copied
}

func (l *WidgetList) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = make([]Widget, len(l.Items))
	for i := range l.Items {
		copied.Items[i] = *l.Items[i].DeepCopyObject().(*Widget)
	}
	return &copied
}

func (l *WidgetListV1) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = make([]WidgetV1, len(l.Items))
	for i := range l.Items {
		copied.Items[i] = *l.Items[i].DeepCopyObject().(*WidgetV1)
	}
	return &copied
}
