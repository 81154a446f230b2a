package checks

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var patches = []check{
	{"json", jsonPatch},
	{"merge", mergePatch},
	{"strategic", strategicPatch},
	{"conflict-with-an-old-version", stalePatch},
}

func service(ctx context.Context, target Target, name string) *corev1.Service {
	ports := []corev1.ServicePort{{Name: "a", Port: 80}, {Name: "b", Port: 81}}
	return need(target.Client.CoreV1().Services(namespace).Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{Ports: ports},
	}, metav1.CreateOptions{}))
}

func patch(ctx context.Context, target Target, name string, kind types.PatchType, body string) (*corev1.Service, error) {
	return target.Client.CoreV1().Services(namespace).Patch(ctx, name, kind, []byte(body), metav1.PatchOptions{})
}

func portNames(of *corev1.Service) (names []string) {
	for _, port := range of.Spec.Ports {
		names = append(names, port.Name)
	}
	return names
}

func jsonPatch(ctx context.Context, target Target) {
	service(ctx, target, "json")
	patched := need(patch(ctx, target, "json", types.JSONPatchType,
		`[{"op":"test","path":"/spec/ports/1/name","value":"b"},{"op":"remove","path":"/spec/ports/1"},{"op":"add","path":"/metadata/labels","value":{"x":"y"}}]`))
	equal(portNames(patched), []string{"a"})
	equal(patched.Labels, map[string]string{"x": "y"})
	_, err := patch(ctx, target, "json", types.JSONPatchType, `[{"op":"test","path":"/spec/ports/0/name","value":"b"}]`)
	refused(err, errors.IsInvalid, "the server rejected our request due to an error in our request")
}

func mergePatch(ctx context.Context, target Target) {
	service(ctx, target, "merge")
	patched := need(patch(ctx, target, "merge", types.MergePatchType, `{"spec":{"ports":[{"name":"c","port":82}],"selector":{"a":"b"}}}`))
	equal(portNames(patched), []string{"c"})
	patched = need(patch(ctx, target, "merge", types.MergePatchType, `{"spec":{"selector":null}}`))
	equal(len(patched.Spec.Selector), 0)
}

func strategicPatch(ctx context.Context, target Target) {
	service(ctx, target, "strategic")
	patched := need(patch(ctx, target, "strategic", types.StrategicMergePatchType,
		`{"spec":{"ports":[{"port":82,"name":"c"},{"port":80,"$patch":"delete"}]}}`))
	equal(portNames(patched), []string{"c", "b"})
}

func stalePatch(ctx context.Context, target Target) {
	made := service(ctx, target, "stale")
	need(patch(ctx, target, "stale", types.MergePatchType, `{"metadata":{"labels":{"a":"b"}}}`))
	_, err := patch(ctx, target, "stale", types.MergePatchType,
		`{"metadata":{"resourceVersion":"`+made.ResourceVersion+`","labels":{"a":"c"}}}`)
	refused(err, errors.IsConflict, "the object has been modified")
}
