"""Watches after a restart of the server: it keeps objects but not their history."""

from kubernetes import client, watch
from kubernetes.client.exceptions import ApiException

from .expectations import NAMESPACE, equal


def check_watch_from_long_ago(api_client):
    core = client.CoreV1Api(api_client)
    try:
        for event in watch.Watch().stream(core.list_namespaced_config_map, NAMESPACE, resource_version="1", timeout_seconds=5):
            raise AssertionError(f"saw {event['type']} {event['object'].metadata.name}")
        raise AssertionError("ended as if nothing had happened")
    except ApiException as error:
        equal([error.status, error.reason.startswith("Expired: too old resource version: 1")], [410, True])


def check_relist_and_go_on(api_client):
    """Lists again after expiry and resumes the watch."""
    core = client.CoreV1Api(api_client)
    start = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    core.create_namespaced_config_map(NAMESPACE, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="after")))
    for event in watch.Watch().stream(core.list_namespaced_config_map, NAMESPACE, resource_version=start, timeout_seconds=10):
        equal([event["type"], event["object"].metadata.name], ["ADDED", "after"])
        return
    raise AssertionError("nothing was seen")
