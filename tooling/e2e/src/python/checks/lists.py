"""Lists in pages, by selectors, and deletion by selector."""

from kubernetes import client

from .expectations import NAMESPACE, equal, refused


def fill(core, label, count):
    for number in range(count):
        metadata = client.V1ObjectMeta(name=f"{label}-{number:02}", labels={"fill": label, "odd": str(number % 2)})
        core.create_namespaced_config_map(NAMESPACE, client.V1ConfigMap(metadata=metadata))


def check_pages(api_client):
    core = client.CoreV1Api(api_client)
    fill(core, "page", 10)
    names, token, versions, remaining = [], None, set(), []
    while True:
        page = core.list_namespaced_config_map(NAMESPACE, label_selector="fill=page", limit=4, _continue=token)
        names += [item.metadata.name for item in page.items]
        versions.add(page.metadata.resource_version)
        token = page.metadata._continue
        if not token:
            break
        core.delete_namespaced_config_map(names[-1], NAMESPACE)
    equal(names, [f"page-{number:02}" for number in range(10)])
    equal(len(versions), 1)
    with refused(400, "BadRequest", "continue key is not valid"):
        core.list_namespaced_config_map(NAMESPACE, limit=4, _continue="nonsense")


def check_remaining_item_count(api_client):
    core = client.CoreV1Api(api_client)
    fill(core, "rest", 3)
    every = core.list_namespaced_config_map(NAMESPACE)
    page = core.list_namespaced_config_map(NAMESPACE, limit=1)
    equal(page.metadata.remaining_item_count, len(every.items) - 1)


def check_selectors(api_client):
    core = client.CoreV1Api(api_client)
    fill(core, "select", 4)
    found = core.list_config_map_for_all_namespaces(
        label_selector="fill in (select),odd!=0", field_selector="metadata.namespace=default,metadata.name!=select-01"
    )
    equal([item.metadata.name for item in found.items], ["select-03"])
    with refused(400, "BadRequest"):
        core.list_namespaced_config_map(NAMESPACE, field_selector="data.x=1")


def check_delete_collection(api_client):
    core = client.CoreV1Api(api_client)
    fill(core, "many", 6)
    gone = core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="fill=many,odd=1")
    equal(gone.status or "Success", "Success")
    left = core.list_namespaced_config_map(NAMESPACE, label_selector="fill=many").items
    equal([item.metadata.name for item in left], ["many-00", "many-02", "many-04"])


def check_version_zero(api_client):
    core = client.CoreV1Api(api_client)
    listed = core.list_namespace(resource_version="0")
    equal("default" in [item.metadata.name for item in listed.items], True)
    with refused(504, "Timeout", "Too large resource version"):
        core.list_namespace(resource_version="999999999", resource_version_match="NotOlderThan", timeout_seconds=1)
