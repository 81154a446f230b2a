"""Each kind of patch, and server-side apply."""

from kubernetes import client

from .expectations import NAMESPACE, equal, refused

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"


def make(api_client, name):
    container = {"name": "a", "image": "one"}
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}
    body = {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": {"app": name}}, "template": template}}
    return client.AppsV1Api(api_client).create_namespaced_deployment(NAMESPACE, body)


def patch(api_client, name, body, content_type, **options):
    return client.AppsV1Api(api_client).patch_namespaced_deployment(name, NAMESPACE, body, _content_type=content_type, **options)


def containers(deployment):
    return [(container.name, container.image) for container in deployment.spec.template.spec.containers]


def check_strategic_merge(api_client):
    make(api_client, "strategic")
    more = {"spec": {"template": {"spec": {"containers": [{"name": "b", "image": "two"}, {"name": "a", "image": "three"}]}}}}
    equal(sorted(containers(patch(api_client, "strategic", more, STRATEGIC))), [("a", "three"), ("b", "two")])
    less = {"spec": {"template": {"spec": {"containers": [{"name": "b", "$patch": "delete"}]}}}}
    equal(containers(patch(api_client, "strategic", less, STRATEGIC)), [("a", "three")])


def check_merge(api_client):
    make(api_client, "merge")
    body = {"metadata": {"labels": {"x": "y"}}, "spec": {"replicas": None}}
    patched = patch(api_client, "merge", body, MERGE_PATCH)
    equal([patched.metadata.labels, patched.spec.replicas], [{"x": "y"}, 1])


def check_json(api_client):
    make(api_client, "json")
    path = "/spec/template/spec/containers/0/image"
    body = [{"op": "test", "path": path, "value": "one"}, {"op": "replace", "path": path, "value": "two"}]
    equal(containers(patch(api_client, "json", body, JSON_PATCH)), [("a", "two")])
    with refused(422, "Invalid"):
        patch(api_client, "json", body, JSON_PATCH)


def check_apply_conflict_and_force(api_client):
    def applied(replicas):
        template = {"metadata": {"labels": {"app": "ssa"}}, "spec": {"containers": [{"name": "a", "image": "one"}]}}
        spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "ssa"}}, "template": template}
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "ssa"}, "spec": spec}

    first = patch(api_client, "ssa", applied(1), APPLY, field_manager="first")
    equal([(entry.manager, entry.operation) for entry in first.metadata.managed_fields], [("first", "Apply")])
    with refused(409, "Conflict", '.spec.replicas'):
        patch(api_client, "ssa", applied(2), APPLY, field_manager="second")
    forced = patch(api_client, "ssa", applied(2), APPLY, field_manager="second", force=True)
    equal(forced.spec.replicas, 2)
    fields = {entry.manager: "f:replicas" in entry.fields_v1["f:spec"] for entry in forced.metadata.managed_fields}
    equal(fields, {"first": False, "second": True})
