package checks

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

var tokens = []check{
	{"bound-to-a-pod", boundToken},
	{"reviews", reviews},
	{"impersonation", impersonation},
}

func boundToken(ctx context.Context, target Target) {
	core, seconds := target.Client.CoreV1(), int64(3600)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}
	need(core.ServiceAccounts(namespace).Create(ctx, account, metav1.CreateOptions{}))
	carrier := pod("carrier")
	carrier.Spec.ServiceAccountName = "robot"
	made := need(core.Pods(namespace).Create(ctx, carrier, metav1.CreateOptions{}))
	asked := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: &seconds,
		BoundObjectRef:    &authenticationv1.BoundObjectReference{Kind: "Pod", APIVersion: "v1", Name: "carrier", UID: made.UID},
	}}
	token := need(core.ServiceAccounts(namespace).CreateToken(ctx, "robot", asked, metav1.CreateOptions{})).Status.Token

	config := rest.AnonymousClientConfig(target.Config)
	config.BearerToken = token
	robot := need(kubernetes.NewForConfig(config))
	who := reviewed(ctx, target, token)
	expect(who.Authenticated, "is not authenticated: %s", who.Error)
	equal(who.User.Username, "system:serviceaccount:default:robot")
	equal([]string(who.User.Extra["authentication.kubernetes.io/pod-name"]), []string{"carrier"})
	_, err := robot.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{})
	refused(err, errors.IsForbidden, `User "system:serviceaccount:default:robot" cannot list resource "configmaps"`)
	must(core.Pods(namespace).Delete(ctx, "carrier", *metav1.NewDeleteOptions(0)))
	eventually(ctx, "the end of the token with its pod", func() bool {
		_, err := robot.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{})
		return errors.IsUnauthorized(err)
	})
}

func reviews(ctx context.Context, target Target) {
	review := func(user string, groups ...string) bool {
		spec := authorizationv1.SubjectAccessReviewSpec{User: user, Groups: groups, ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: namespace, Verb: "get", Group: "apps", Resource: "deployments",
		}}
		return need(target.Client.AuthorizationV1().SubjectAccessReviews().Create(
			ctx, &authorizationv1.SubjectAccessReview{Spec: spec}, metav1.CreateOptions{})).Status.Allowed
	}
	expect(!review("reader"), "allowed to nobody in particular")
	expect(review("reader", "system:masters"), "not allowed to masters")
	expect(!reviewed(ctx, target, "nobodys").Authenticated, "a token of nobody's is somebody's")
}

func reviewed(ctx context.Context, target Target, token string) authenticationv1.TokenReviewStatus {
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}
	return need(target.Client.AuthenticationV1().TokenReviews().Create(ctx, review, metav1.CreateOptions{})).Status
}

func impersonation(ctx context.Context, target Target) {
	config := rest.CopyConfig(target.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "other", Groups: []string{"system:masters"}, Extra: map[string][]string{"Scopes": {"a b"}}}
	who := need(need(kubernetes.NewForConfig(config)).AuthenticationV1().SelfSubjectReviews().Create(
		ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})).Status.UserInfo
	equal(who.Username, "other")
	equal(who.Groups, []string{"system:masters", "system:authenticated"})
	equal([]string(who.Extra["scopes"]), []string{"a b"})
}
