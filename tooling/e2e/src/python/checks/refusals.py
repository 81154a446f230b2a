"""Errors as clients see them."""

import json

from kubernetes import client
from kubernetes.client.exceptions import ApiException

from .expectations import NAMESPACE, equal, refused


def check_invalid(api_client):
    core = client.CoreV1Api(api_client)
    body = {"metadata": {"name": "bad"}, "spec": {"containers": [{"name": "Not_A_Label"}]}}
    try:
        core.create_namespaced_pod(NAMESPACE, body)
        raise AssertionError("an invalid pod was taken")
    except ApiException as error:
        equal([error.status, error.reason], [422, "Unprocessable Entity"])
        details = json.loads(error.body)["details"]
        equal([details["name"], details["kind"]], ["bad", "Pod"])
        fields = {cause["field"]: cause["reason"] for cause in details["causes"]}
        equal(fields, {"spec.containers[0].image": "FieldValueRequired", "spec.containers[0].name": "FieldValueInvalid"})


def check_exists(api_client):
    with refused(409, "AlreadyExists", 'namespaces "default" already exists'):
        client.CoreV1Api(api_client).create_namespace({"metadata": {"name": "default"}})


def check_forbidden_and_unauthorized(api_client):
    def with_token(token):
        configuration = client.Configuration.get_default_copy()
        configuration.cert_file = configuration.key_file = None
        configuration.api_key = {"authorization": token, "BearerToken": token}
        configuration.api_key_prefix = {"authorization": "Bearer", "BearerToken": "Bearer"}
        return client.CoreV1Api(client.ApiClient(configuration))

    message = 'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "default"'
    with refused(403, "Forbidden", message):
        with_token("alicetoken").list_namespaced_secret(NAMESPACE)
    with refused(401, "Unauthorized", "Unauthorized"):
        with_token("nobodys").list_namespaced_secret(NAMESPACE)


def check_strict_fields(api_client):
    body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "strict"}, "bogus": 1}
    with refused(400, "BadRequest", 'strict decoding error: unknown field "bogus"'):
        custom = client.CustomObjectsApi(api_client)
        custom.create_namespaced_custom_object("batch", "v1", NAMESPACE, "jobs", body, field_validation="Strict")


def check_reviews(api_client):
    attributes = client.V1ResourceAttributes(namespace=NAMESPACE, verb="delete", resource="pods")
    review = client.V1SelfSubjectAccessReview(spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes))
    equal(client.AuthorizationV1Api(api_client).create_self_subject_access_review(review).status.allowed, True)
    who = client.AuthenticationV1Api(api_client).create_self_subject_review(client.V1SelfSubjectReview()).status.user_info
    equal("system:masters" in who.groups, True)


def check_eviction(api_client):
    core = client.CoreV1Api(api_client)
    core.create_namespaced_pod(NAMESPACE, {"metadata": {"name": "evicted"}, "spec": {"containers": [{"name": "c", "image": "x"}]}})
    core.create_namespaced_pod_eviction("evicted", NAMESPACE, client.V1Eviction(metadata=client.V1ObjectMeta(name="evicted")))
    with refused(404, "NotFound"):
        core.read_namespaced_pod("evicted", NAMESPACE)
