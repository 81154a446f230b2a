package checks

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	toolsevents "k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
)

var events = []check{
	{"recorder-of-core", coreRecorder},
	{"recorder-of-events-group", groupRecorder},
}

func eventsOf(ctx context.Context, target Target, name string) []corev1.Event {
	options := metav1.ListOptions{FieldSelector: "involvedObject.kind=ConfigMap,involvedObject.name=" + name}
	return need(target.Client.CoreV1().Events(namespace).List(ctx, options)).Items
}

func coreRecorder(ctx context.Context, target Target) {
	object := need(target.Client.CoreV1().ConfigMaps(namespace).Create(ctx, configMap("recorded", nil), metav1.CreateOptions{}))
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: target.Client.CoreV1().Events("")})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "e2e"})
	for range 3 {
		recorder.Eventf(object, corev1.EventTypeWarning, "Often", "it happened to %s", object.Name)
	}
	eventually(ctx, "one event that was counted", func() bool {
		found := eventsOf(ctx, target, "recorded")
		return len(found) == 1 && found[0].Count == 3
	})
	equal(eventsOf(ctx, target, "recorded")[0].Message, "it happened to recorded")
}

func groupRecorder(ctx context.Context, target Target) {
	object := need(target.Client.CoreV1().ConfigMaps(namespace).Create(ctx, configMap("noted", nil), metav1.CreateOptions{}))
	broadcaster := toolsevents.NewBroadcaster(&toolsevents.EventSinkImpl{Interface: target.Client.EventsV1()})
	defer broadcaster.Shutdown()
	must(broadcaster.StartRecordingToSinkWithContext(ctx))
	recorder := broadcaster.NewRecorder(scheme.Scheme, "example.org/e2e")
	recorder.Eventf(object, nil, corev1.EventTypeNormal, "Noted", "Noting", "once")
	eventually(ctx, "the event", func() bool { return len(eventsOf(ctx, target, "noted")) == 1 })
	// A repeated event becomes a series.
	recorder.Eventf(object, nil, corev1.EventTypeNormal, "Noted", "Noting", "once")
	eventually(ctx, "the series", func() bool { return eventsOf(ctx, target, "noted")[0].Series != nil })
	noted := need(target.Client.EventsV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "regarding.name=noted"}))
	if len(noted.Items) == 1 {
		equal(noted.Items[0].ReportingController+" "+noted.Items[0].Note, "example.org/e2e once")
		expect(strings.HasPrefix(noted.Items[0].Name, "noted."), "is named %s", noted.Items[0].Name)
	}
}
