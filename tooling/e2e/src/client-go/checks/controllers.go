package checks

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/metadata"
)

// Writes of kube-controller-manager's controllers, in the same encodings.
var controllers = []check{
	{"job-status", jobStatus},
	{"certificate-approval", certificateApproval},
	{"disruption-budget-stops-an-eviction", disruptionBudget},
	{"autoscaler-in-both-versions", autoscaler},
	{"node-status-and-taints", nodeStatus},
	{"metadata-for-the-garbage-collector", collectedMetadata},
}

func jobStatus(ctx context.Context, target Target) {
	jobs := target.Client.BatchV1().Jobs(namespace)
	template := corev1.PodTemplateSpec{Spec: pod("").Spec}
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	made := need(jobs.Create(ctx, &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "counted"}, Spec: batchv1.JobSpec{Template: template},
	}, metav1.CreateOptions{}))
	equal(*made.Spec.BackoffLimit, 6)
	start := metav1.NewTime(time.Now().Truncate(time.Second))
	made.Status = batchv1.JobStatus{StartTime: &start, Active: 1, UncountedTerminatedPods: &batchv1.UncountedTerminatedPods{}}
	made = need(jobs.UpdateStatus(ctx, made, metav1.UpdateOptions{}))
	for _, kind := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete} {
		made.Status.Conditions = append(made.Status.Conditions,
			batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue, LastProbeTime: start, LastTransitionTime: start})
	}
	made.Status.Active, made.Status.Succeeded, made.Status.CompletionTime = 0, 1, &start
	made = need(jobs.UpdateStatus(ctx, made, metav1.UpdateOptions{}))
	expect(made.Status.CompletionTime.Equal(&start), "completed at %v", made.Status.CompletionTime)
	made.Status.Conditions = nil
	_, err := jobs.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	refused(err, errors.IsInvalid, "status.conditions")
}

func certificateApproval(ctx context.Context, target Target) {
	key := need(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	request := need(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "someone"}}, key))
	requests := target.Client.CertificatesV1().CertificateSigningRequests()
	made := need(requests.Create(ctx, &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{Name: "someone"},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: request}),
			SignerName: certificatesv1.KubeAPIServerClientSignerName,
			Usages:     []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth},
		},
	}, metav1.CreateOptions{}))
	expect(made.Spec.Username != "", "nobody asked")
	made.Status.Conditions = append(made.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Trusted",
	})
	approved := need(requests.UpdateApproval(ctx, "someone", made, metav1.UpdateOptions{}))
	expect(!approved.Status.Conditions[0].LastUpdateTime.IsZero(), "approved at no time")
	approved.Status.Conditions = nil
	_, err := requests.UpdateApproval(ctx, "someone", approved, metav1.UpdateOptions{})
	refused(err, errors.IsInvalid, "status.conditions")
}

func disruptionBudget(ctx context.Context, target Target) {
	budgets, pods := target.Client.PolicyV1().PodDisruptionBudgets(namespace), target.Client.CoreV1().Pods(namespace)
	guarded := pod("guarded")
	guarded.Labels = map[string]string{"app": "guarded"}
	made := need(pods.Create(ctx, guarded, metav1.CreateOptions{}))
	made.Status.Phase = corev1.PodRunning
	made.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	need(pods.UpdateStatus(ctx, made, metav1.UpdateOptions{}))
	one := intstr.FromInt32(1)
	budget := need(budgets.Create(ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "guard"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &one, Selector: &metav1.LabelSelector{MatchLabels: guarded.Labels}},
	}, metav1.CreateOptions{}))
	evict := func() error {
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "guarded", Namespace: namespace}}
		// The response has a Retry-After header; the retries would take too long.
		return target.Client.CoreV1().RESTClient().Post().MaxRetries(0).Resource("pods").Namespace(namespace).Name("guarded").
			SubResource("eviction").Body(eviction).Do(ctx).Error()
	}
	budget.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: budget.Generation, CurrentHealthy: 1, DesiredHealthy: 1, ExpectedPods: 1}
	budget = need(budgets.UpdateStatus(ctx, budget, metav1.UpdateOptions{}))
	err := evict()
	refused(err, errors.IsTooManyRequests, "Cannot evict pod as it would violate the pod's disruption budget.")
	expect(errors.HasStatusCause(err, policyv1.DisruptionBudgetCause), "without its cause: %v", err)
	budget.Status.CurrentHealthy, budget.Status.DisruptionsAllowed = 2, 1
	need(budgets.UpdateStatus(ctx, budget, metav1.UpdateOptions{}))
	must(evict())
	after := need(budgets.Get(ctx, "guard", metav1.GetOptions{}))
	equal(after.Status.DisruptionsAllowed, 0)
	_, noted := after.Status.DisruptedPods["guarded"]
	expect(noted, "the eviction is not noted: %v", after.Status)
}

func autoscaler(ctx context.Context, target Target) {
	percent, least := int32(70), int32(2)
	need(target.Client.AutoscalingV1().HorizontalPodAutoscalers(namespace).Create(ctx, &autoscalingv1.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: "scaler"},
		Spec: autoscalingv1.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv1.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
			MinReplicas:    &least, MaxReplicas: 5, TargetCPUUtilizationPercentage: &percent,
		},
	}, metav1.CreateOptions{}))
	second := target.Client.AutoscalingV2().HorizontalPodAutoscalers(namespace)
	read := need(second.Get(ctx, "scaler", metav1.GetOptions{}))
	equal(words(read.Spec.Metrics[0].Resource.Name, *read.Spec.Metrics[0].Resource.Target.AverageUtilization), "cpu 70")
	*read.Spec.Metrics[0].Resource.Target.AverageUtilization = 80
	need(second.Update(ctx, read, metav1.UpdateOptions{}))
	first := need(target.Client.AutoscalingV1().HorizontalPodAutoscalers(namespace).Get(ctx, "scaler", metav1.GetOptions{}))
	equal(*first.Spec.TargetCPUUtilizationPercentage, 80)
}

func nodeStatus(ctx context.Context, target Target) {
	nodes := target.Client.CoreV1().Nodes()
	need(nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "watched"}}, metav1.CreateOptions{}))
	condition := func(reason string) []byte {
		return []byte(`{"status":{"conditions":[{"type":"Ready","status":"True","reason":"` + reason + `"}],"capacity":{"cpu":"2","memory":"1Gi"}}}`)
	}
	for _, reason := range []string{"First", "Second"} {
		need(nodes.Patch(ctx, "watched", types.StrategicMergePatchType, condition(reason), metav1.PatchOptions{}, "status"))
	}
	patched := need(nodes.Get(ctx, "watched", metav1.GetOptions{}))
	equal(words(len(patched.Status.Conditions), patched.Status.Conditions[0].Reason, patched.Status.Allocatable.Cpu()), "1 Second 2")
	patched.Spec.Taints = []corev1.Taint{{Key: "example.org/away", Effect: corev1.TaintEffectNoExecute}}
	patched = need(nodes.Update(ctx, patched, metav1.UpdateOptions{}))
	equal(patched.Spec.Taints[0].Key, "example.org/away")
}

// collectedMetadata works without types, like kube-controller-manager's garbage collector and namespace controller.
func collectedMetadata(ctx context.Context, target Target) {
	maps := need(metadata.NewForConfig(metadata.ConfigFor(target.Config))).Resource(configMaps).Namespace(namespace)
	for _, name := range []string{"collected-1", "collected-2"} {
		object := configMap(name, map[string]string{"collected": "yes"})
		object.Finalizers = []string{"example.org/hold"}
		need(target.Client.CoreV1().ConfigMaps(namespace).Create(ctx, object, metav1.CreateOptions{}))
	}
	must(maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "collected=yes"}))
	held := need(maps.List(ctx, metav1.ListOptions{LabelSelector: "collected=yes"})).Items
	equal(len(held), 2)
	for _, item := range held {
		expect(item.DeletionTimestamp != nil, "%s is not being deleted", item.Name)
		body := `{"metadata":{"uid":"` + string(item.UID) + `","resourceVersion":"` + item.ResourceVersion + `","finalizers":null}}`
		patched := need(maps.Patch(ctx, item.Name, types.MergePatchType, []byte(body), metav1.PatchOptions{}))
		equal(words(patched.Name, len(patched.Finalizers)), item.Name+" 0")
	}
	equal(len(need(maps.List(ctx, metav1.ListOptions{LabelSelector: "collected=yes"})).Items), 0)
}
