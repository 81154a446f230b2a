"""Typed objects of several groups: create, read, replace, delete."""

from kubernetes import client
from kubernetes.client import models

from .expectations import NAMESPACE, equal, refused


def check_config_map(api_client):
    core = client.CoreV1Api(api_client)
    made = core.create_namespaced_config_map(
        NAMESPACE, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="py", labels={"of": "py"}), data={"a": "1"})
    )
    equal([made.data, made.metadata.labels, made.metadata.namespace], [{"a": "1"}, {"of": "py"}, NAMESPACE])
    equal(made.metadata.creation_timestamp.tzinfo is not None, True)
    stale = core.read_namespaced_config_map("py", NAMESPACE)
    made.data = {"a": "2"}
    replaced = core.replace_namespaced_config_map("py", NAMESPACE, made)
    equal([replaced.data, replaced.metadata.uid], [{"a": "2"}, made.metadata.uid])
    with refused(409, "Conflict", "the object has been modified"):
        core.replace_namespaced_config_map("py", NAMESPACE, stale)
    status = core.delete_namespaced_config_map("py", NAMESPACE)
    equal([status["status"], status["details"]["name"], status["details"]["kind"]], ["Success", "py", "configmaps"])
    with refused(404, "NotFound", 'configmaps "py" not found'):
        core.read_namespaced_config_map("py", NAMESPACE)


def check_secret_with_bytes(api_client):
    core = client.CoreV1Api(api_client)
    secret = client.V1Secret(metadata=client.V1ObjectMeta(name="py"), string_data={"plain": "text"}, data={"bytes": "AP8="})
    made = core.create_namespaced_secret(NAMESPACE, secret)
    equal([made.data, made.string_data, made.type], [{"plain": "dGV4dA==", "bytes": "AP8="}, None, "Opaque"])
    core.delete_namespaced_secret("py", NAMESPACE)


def check_deployment_scale_and_status(api_client):
    apps = client.AppsV1Api(api_client)
    container = client.V1Container(
        name="c", image="nginx", resources=client.V1ResourceRequirements(requests={"cpu": "100m", "memory": "1Gi"})
    )
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels={"app": "py"}), spec=client.V1PodSpec(containers=[container])
    )
    spec = client.V1DeploymentSpec(selector=client.V1LabelSelector(match_labels={"app": "py"}), template=template, replicas=2)
    made = apps.create_namespaced_deployment(NAMESPACE, client.V1Deployment(metadata=client.V1ObjectMeta(name="py"), spec=spec))
    equal([made.spec.strategy.type, made.spec.revision_history_limit, made.metadata.generation], ["RollingUpdate", 10, 1])
    scale = apps.read_namespaced_deployment_scale("py", NAMESPACE)
    equal([scale.spec.replicas, scale.status.selector], [2, "app=py"])
    scale.spec.replicas = 5
    apps.replace_namespaced_deployment_scale("py", NAMESPACE, scale)
    apps.patch_namespaced_deployment_status("py", NAMESPACE, {"status": {"replicas": 5, "observedGeneration": 2}})
    read = apps.read_namespaced_deployment("py", NAMESPACE)
    equal([read.spec.replicas, read.status.replicas, read.metadata.generation], [5, 5, 2])
    apps.delete_namespaced_deployment("py", NAMESPACE, body=client.V1DeleteOptions(propagation_policy="Background"))


def check_service_and_ingress(api_client):
    core, networking = client.CoreV1Api(api_client), client.NetworkingV1Api(api_client)
    ports = [client.V1ServicePort(port=80, target_port="http"), client.V1ServicePort(name="b", port=81, target_port=8081)]
    ports[0].name = "a"
    service = client.V1Service(metadata=client.V1ObjectMeta(name="py"), spec=client.V1ServiceSpec(selector={"app": "py"}, ports=ports))
    made = core.create_namespaced_service(NAMESPACE, service)
    equal([made.spec.type, made.spec.cluster_ip.startswith("10.0.")], ["ClusterIP", True])
    ports = [(port.name, port.protocol) for port in made.spec.ports]
    equal(ports, [("a", "TCP"), ("b", "TCP")])
    backend = client.V1IngressBackend(
        service=client.V1IngressServiceBackend(name="py", port=client.V1ServiceBackendPort(number=80))
    )
    path = client.V1HTTPIngressPath(path="/", path_type="Prefix", backend=backend)
    rule = client.V1IngressRule(host="py.example", http=client.V1HTTPIngressRuleValue(paths=[path]))
    ingress = client.V1Ingress(metadata=client.V1ObjectMeta(name="py"), spec=client.V1IngressSpec(rules=[rule]))
    equal(networking.create_namespaced_ingress(NAMESPACE, ingress).spec.rules[0].host, "py.example")
    networking.delete_namespaced_ingress("py", NAMESPACE)
    core.delete_namespaced_service("py", NAMESPACE)


def check_cluster_scoped_role(api_client):
    rbac = client.RbacAuthorizationV1Api(api_client)
    rule = models.V1PolicyRule(api_groups=["apps"], resources=["deployments"], verbs=["get"])
    rbac.create_cluster_role(client.V1ClusterRole(metadata=client.V1ObjectMeta(name="py"), rules=[rule]))
    read = rbac.read_cluster_role("py")
    equal([(rule.api_groups, rule.verbs) for rule in read.rules], [(["apps"], ["get"])])
    rbac.delete_cluster_role("py")


def check_dry_run(api_client):
    core = client.CoreV1Api(api_client)
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="py-dry"))
    equal(core.create_namespaced_config_map(NAMESPACE, body, dry_run="All").metadata.name, "py-dry")
    with refused(404, "NotFound"):
        core.read_namespaced_config_map("py-dry", NAMESPACE)


def check_version_and_groups(api_client):
    version = client.VersionApi(api_client).get_code()
    equal([version.major, version.minor], ["1", "36"])
    groups = [group.name for group in client.ApisApi(api_client).get_api_versions().groups]
    equal("apps" in groups and "networking.k8s.io" in groups, True)
