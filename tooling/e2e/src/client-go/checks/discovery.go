package checks

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
)

var discoveries = []check{
	{"aggregated-in-two-requests", aggregated},
	{"rest-mapper", mapper},
	{"scale-of-whatever-scales", scales},
	{"openapi-and-version", openAPI},
}

func aggregated(_ context.Context, target Target) {
	config, requests := recording(target.Config)
	cached := memory.NewMemCacheClient(need(discovery.NewDiscoveryClientForConfig(config)))
	for range 2 {
		groups, lists, err := cached.ServerGroupsAndResources()
		must(err)
		expect(len(groups) >= 19 && len(lists) >= 20, "%d groups, %d lists", len(groups), len(lists))
	}
	asked := append(requests.of("api"), requests.of("apis")...)
	equal(len(asked), 2)
	equal(len(requests.exchanges), 2)
	for _, one := range asked {
		expect(strings.Contains(one.contentType, "as=APIGroupDiscoveryList"), "answered %s", one.contentType)
	}
	cached.Invalidate()
	expect(!cached.Fresh(), "is fresh though it was invalidated")
	_, err := cached.ServerResourcesForGroupVersion("apps/v1")
	must(err)
	_, err = cached.ServerResourcesForGroupVersion("no.such.group/v1")
	expect(err != nil, "there is a group that is not there")
}

func mapper(_ context.Context, target Target) {
	cached := memory.NewMemCacheClient(target.Client.Discovery())
	mapper := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cached), cached, func(string) {})
	mapping := need(mapper.RESTMapping(schema.GroupKind{Group: "networking.k8s.io", Kind: "Ingress"}))
	equal(mapping.Resource.String()+" "+string(mapping.Scope.Name()), "networking.k8s.io/v1, Resource=ingresses namespace")
	equal(need(mapper.ResourceFor(schema.GroupVersionResource{Resource: "deploy"})).String(), "apps/v1, Resource=deployments")
	equal(need(mapper.KindFor(schema.GroupVersionResource{Resource: "hpa"})).String(), "autoscaling/v2, Kind=HorizontalPodAutoscaler")
	equal(need(mapper.ResourceSingularizer("endpointslices")), "endpointslice")
}

func scales(ctx context.Context, target Target) {
	need(target.Client.AppsV1().Deployments(namespace).Apply(ctx, deployment("scaled", 1), metav1.ApplyOptions{FieldManager: "maker"}))
	cached := memory.NewMemCacheClient(target.Client.Discovery())
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cached)
	client := need(scale.NewForConfig(target.Config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(cached)))
	resource := schema.GroupResource{Group: "apps", Resource: "deployments"}
	current := need(client.Scales(namespace).Get(ctx, resource, "scaled", metav1.GetOptions{}))
	equal(words(current.Spec.Replicas, current.Status.Selector), "1 app=scaled")
	current.Spec.Replicas = 4
	need(client.Scales(namespace).Update(ctx, resource, current, metav1.UpdateOptions{}))
	equal(*need(target.Client.AppsV1().Deployments(namespace).Get(ctx, "scaled", metav1.GetOptions{})).Spec.Replicas, 4)
}

func openAPI(_ context.Context, target Target) {
	version := need(target.Client.Discovery().ServerVersion())
	equal(version.Major+"."+version.Minor, "1.36")
	paths := need(target.Client.Discovery().OpenAPIV3().Paths())
	schema := need(paths["apis/apps/v1"].Schema("application/json"))
	expect(strings.Contains(string(schema), "io.k8s.api.apps.v1.Deployment"), "no Deployment in %d bytes", len(schema))
	document := need(target.Client.Discovery().OpenAPISchema())
	expect(len(document.Definitions.AdditionalProperties) > 300, "%d definitions", len(document.Definitions.AdditionalProperties))
}
