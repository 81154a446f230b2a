"""The dynamic client, which finds resources through discovery."""

import tempfile

from kubernetes import dynamic
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError

from .expectations import NAMESPACE, equal


def dynamic_client(api_client):
    with tempfile.NamedTemporaryFile() as cache:
        return dynamic.DynamicClient(api_client, cache_file=cache.name + "-discovery")


def check_finds_resources(api_client):
    found = dynamic_client(api_client)
    deployments = found.resources.get(api_version="apps/v1", kind="Deployment")
    equal([deployments.name, deployments.namespaced, "deploy" in deployments.short_names], ["deployments", True, True])
    equal(sorted(deployments.subresources), ["scale", "status"])
    equal(found.resources.get(kind="Event", group="events.k8s.io").group_version, "events.k8s.io/v1")
    equal(found.version["kubernetes"]["minor"], "36")


def check_verbs(api_client):
    jobs = dynamic_client(api_client).resources.get(api_version="batch/v1", kind="Job")
    pod = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "busybox"}]}
    body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "dyn", "labels": {"d": "1"}}, "spec": {"template": {"spec": pod}}}
    made = jobs.create(body=body, namespace=NAMESPACE)
    equal([made.spec.completions, made.spec.backoffLimit], [1, 6])
    patched = jobs.patch(
        body={"spec": {"suspend": True}}, name="dyn", namespace=NAMESPACE, content_type="application/merge-patch+json"
    )
    equal(patched.spec.suspend, True)
    stale = made.to_dict()
    stale["metadata"]["labels"] = {"d": "2"}
    try:
        jobs.replace(body=stale, namespace=NAMESPACE)
        raise AssertionError("a stale object replaced a newer one")
    except ConflictError as error:
        equal([error.status, "the object has been modified" in error.summary()], [409, True])
    equal([item.metadata.name for item in jobs.get(namespace=NAMESPACE, label_selector="d=1").items], ["dyn"])
    jobs.delete(name="dyn", namespace=NAMESPACE, body={"propagationPolicy": "Background"})
    try:
        jobs.get(name="dyn", namespace=NAMESPACE)
        raise AssertionError("it is still there")
    except NotFoundError:
        pass


def check_apply_and_watch(api_client):
    config_maps = dynamic_client(api_client).resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dyn"}, "data": {"a": "1"}}
    applied = config_maps.server_side_apply(body=body, namespace=NAMESPACE, field_manager="dyn", force_conflicts=True)
    equal(applied.data.to_dict(), {"a": "1"})
    for event in config_maps.watch(namespace=NAMESPACE, name="dyn", timeout=10):
        equal([event["type"], event["object"].metadata.name], ["ADDED", "dyn"])
        break
