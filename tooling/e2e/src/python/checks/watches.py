"""Watches: events, resuming, and expiry."""

from kubernetes import client, watch

from .expectations import NAMESPACE, equal


def config_map(name, label):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels={"watch": label}))


def taken(events, count):
    seen = []
    for event in events:
        seen.append((event["type"], event["object"].metadata.name))
        if len(seen) == count:
            return seen
    raise AssertionError(f"ended after {seen}")


def check_changes(api_client):
    core = client.CoreV1Api(api_client)
    start = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    core.create_namespaced_config_map(NAMESPACE, config_map("w", "changes"))
    core.create_namespaced_config_map(NAMESPACE, config_map("other", "else"))
    core.patch_namespaced_config_map("w", NAMESPACE, {"data": {"x": "1"}})
    core.delete_namespaced_config_map("w", NAMESPACE)
    watcher = watch.Watch()
    arguments = {"label_selector": "watch=changes", "resource_version": start, "timeout_seconds": 10}
    seen = taken(watcher.stream(core.list_namespaced_config_map, NAMESPACE, **arguments), 3)
    equal(seen, [("ADDED", "w"), ("MODIFIED", "w"), ("DELETED", "w")])


def check_goes_on_where_it_was(api_client):
    core = client.CoreV1Api(api_client)
    start = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    watcher = watch.Watch()
    seen = []
    for round_number in range(3):
        core.create_namespaced_config_map(NAMESPACE, config_map(f"round-{round_number}", "resumed"))
        arguments = {"label_selector": "watch=resumed", "resource_version": watcher.resource_version or start, "timeout_seconds": 10}
        seen += taken(watcher.stream(core.list_namespaced_config_map, NAMESPACE, **arguments), 1)
    equal(seen, [("ADDED", f"round-{round_number}") for round_number in range(3)])


def check_ends_at_its_time(api_client):
    core = client.CoreV1Api(api_client)
    start = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    events = watch.Watch().stream(core.list_namespaced_config_map, NAMESPACE, resource_version=start, timeout_seconds=1)
    equal([event["type"] for event in events if event["object"].metadata.labels is None], [])


def check_initial_events_and_bookmark(api_client):
    core = client.CoreV1Api(api_client)
    core.create_namespaced_config_map(NAMESPACE, config_map("there", "initial"))
    arguments = {
        "send_initial_events": True,
        "resource_version_match": "NotOlderThan",
        "allow_watch_bookmarks": True,
        "label_selector": "watch=initial",
        "timeout_seconds": 10,
    }
    seen = []
    for event in watch.Watch().stream(core.list_namespaced_config_map, NAMESPACE, **arguments):
        seen.append(event["type"])
        if event["type"] == "BOOKMARK":
            equal(event["raw_object"]["metadata"]["annotations"], {"k8s.io/initial-events-end": "true"})
            break
    equal(seen, ["ADDED", "BOOKMARK"])
