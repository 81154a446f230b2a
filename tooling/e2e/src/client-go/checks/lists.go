package checks

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	toolswatch "k8s.io/client-go/tools/watch"
)

var lists = []check{
	{"pager-with-chunks", pages},
	{"invalid-continue-tokens", wrongToken},
	{"versions", versions},
	{"watch-resumes-from-a-version", retryWatcher},
	{"watch-in-protobuf-with-bookmarks", bookmarks},
	{"watches-beyond-the-streams-of-a-connection", manyWatches},
	{"large-lists-in-both-encodings", large},
}

func pages(ctx context.Context, target Target) {
	const count = 25
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	for i := range count {
		need(maps.Create(ctx, configMap(fmt.Sprintf("chunk-%02d", i), map[string]string{"chunk": "yes"}), metav1.CreateOptions{}))
	}
	calls, names := 0, []string{}
	chunks := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		calls++
		return maps.List(ctx, options)
	})
	chunks.PageSize = 10
	must(chunks.EachListItem(ctx, metav1.ListOptions{LabelSelector: "chunk=yes"}, func(object runtime.Object) error {
		names = append(names, object.(*corev1.ConfigMap).Name)
		return nil
	}))
	equal(calls, 3)
	equal(len(names), count)
	equal(names[count-1], fmt.Sprintf("chunk-%02d", count-1))
	every, paginated, err := chunks.List(ctx, metav1.ListOptions{LabelSelector: "chunk=yes"})
	must(err)
	expect(paginated && meta.LenList(every) == count, "%d of them, in pages: %v", meta.LenList(every), paginated)
}

func wrongToken(ctx context.Context, target Target) {
	_, err := target.Client.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{Limit: 1, Continue: "nonsense"})
	refused(err, errors.IsBadRequest, "continue key is not valid")
}

func versions(ctx context.Context, target Target) {
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	made := need(maps.Create(ctx, configMap("versioned", nil), metav1.CreateOptions{}))
	exactly := metav1.ListOptions{ResourceVersion: made.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact}
	must(maps.Delete(ctx, "versioned", metav1.DeleteOptions{}))
	then := need(maps.List(ctx, exactly))
	equal(then.ResourceVersion, made.ResourceVersion)
	found := false
	for _, item := range then.Items {
		found = found || item.Name == "versioned"
	}
	expect(found, "what was there at version %s is not", made.ResourceVersion)
	// The response has a Retry-After header, and the client would retry ten times.
	err := target.Client.CoreV1().RESTClient().Get().MaxRetries(0).Resource("configmaps").Namespace(namespace).
		Param("resourceVersion", "999999999").Param("resourceVersionMatch", "NotOlderThan").Do(ctx).Error()
	refused(err, errors.IsTimeout, "Too large resource version: 999999999")
	expect(errors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge), "without its cause: %v", err)
}

func retryWatcher(ctx context.Context, target Target) {
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	before := need(maps.List(ctx, metav1.ListOptions{}))
	live(ctx, target, "retried", nil)
	watcher := need(toolswatch.NewRetryWatcherWithContext(ctx, before.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: maps.Watch,
	}))
	defer watcher.Stop()
	for _, kind := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted} {
		event := receive(ctx, watcher.ResultChan(), string(kind))
		equal(words(event.Type, event.Object.(*corev1.ConfigMap).Name), words(kind, "retried"))
	}
}

func bookmarks(ctx context.Context, target Target) {
	yes := true
	watcher := need(target.Client.CoreV1().Namespaces().Watch(ctx, metav1.ListOptions{
		AllowWatchBookmarks: true, SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	}))
	defer watcher.Stop()
	for {
		event := receive(ctx, watcher.ResultChan(), "the bookmark")
		if event.Type != watch.Bookmark {
			equal(event.Type, watch.Added)
			continue
		}
		equal(event.Object.(*corev1.Namespace).Annotations, map[string]string{metav1.InitialEventsAnnotationKey: "true"})
		break
	}
	_, err := target.Client.CoreV1().Namespaces().Watch(ctx, metav1.ListOptions{SendInitialEvents: &yes})
	refused(err, errors.IsInvalid, "resourceVersionMatch")
	equal(err.(errors.APIStatus).Status().Code, http.StatusUnprocessableEntity)
}

// manyWatches opens more concurrent watches than one HTTP/2 connection has streams.
func manyWatches(ctx context.Context, target Target) {
	const count = 300
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	start := need(maps.List(ctx, metav1.ListOptions{Limit: 1})).ResourceVersion
	watchers := make([]watch.Interface, count)
	for i := range count {
		watchers[i] = need(maps.Watch(ctx, metav1.ListOptions{ResourceVersion: start, LabelSelector: "watched-by=many"}))
		defer watchers[i].Stop()
	}
	need(maps.Create(ctx, configMap("watched-by-many", map[string]string{"watched-by": "many"}), metav1.CreateOptions{}))
	for _, watcher := range watchers {
		equal(receive(ctx, watcher.ResultChan(), "the event").Type, watch.Added)
	}
}

// large reads large lists, which are compressed, as JSON and as protobuf.
func large(ctx context.Context, target Target) {
	const count, size = 20, 50_000
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	for i := range count {
		object := configMap(fmt.Sprintf("large-%02d", i), map[string]string{"large": "yes"})
		object.Data = map[string]string{"text": strings.Repeat(fmt.Sprintf("%02d, ünï ", i), size/10)}
		need(maps.Create(ctx, object, metav1.CreateOptions{}))
	}
	config := rest.CopyConfig(target.Config)
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	options := metav1.ListOptions{LabelSelector: "large=yes"}
	asProtobuf := need(maps.List(ctx, options))
	asJSON := need(need(kubernetes.NewForConfig(config)).CoreV1().ConfigMaps(namespace).List(ctx, options))
	equal(len(asProtobuf.Items), count)
	equal(asJSON.Items, asProtobuf.Items)
}
