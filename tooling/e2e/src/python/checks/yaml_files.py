"""Objects from YAML."""

import tempfile

import yaml
from kubernetes import client, utils

from .expectations import NAMESPACE, equal

DOCUMENTS = """
apiVersion: v1
kind: ServiceAccount
metadata: {name: from-yaml}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: from-yaml}
spec:
  serviceName: from-yaml
  selector: {matchLabels: {app: y}}
  template:
    metadata: {labels: {app: y}}
    spec:
      containers:
      - {name: c, image: nginx, ports: [{containerPort: 80}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: from-yaml}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: from-yaml, namespace: default}]
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: from-yaml-1}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: from-yaml-2}, data: {number: "1"}}
"""


def check_created(api_client):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(DOCUMENTS)
        file.flush()
        utils.create_from_yaml(api_client, file.name, namespace=NAMESPACE)
    made = client.AppsV1Api(api_client).read_namespaced_stateful_set("from-yaml", NAMESPACE)
    equal([made.spec.pod_management_policy, made.spec.template.spec.containers[0].ports[0].protocol], ["OrderedReady", "TCP"])
    equal(client.CoreV1Api(api_client).read_namespaced_config_map("from-yaml-2", NAMESPACE).data, {"number": "1"})
    equal(client.RbacAuthorizationV1Api(api_client).read_cluster_role_binding("from-yaml").role_ref.name, "view")


def check_refusals_are_collected(api_client):
    objects = list(yaml.safe_load_all("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Wrong_Name}\n"))
    try:
        utils.create_from_yaml(api_client, yaml_objects=objects, namespace=NAMESPACE)
        raise AssertionError("a wrong name was taken")
    except utils.FailToCreateError as error:
        equal([exception.status for exception in error.api_exceptions], [422])


def check_applied(api_client):
    objects = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"a": "1"}}]
    for _ in range(2):
        utils.create_from_yaml(api_client, yaml_objects=objects, namespace=NAMESPACE, apply=True)
    equal(client.CoreV1Api(api_client).read_namespaced_config_map("applied", NAMESPACE).data, {"a": "1"})
