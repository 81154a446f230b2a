import type { RequestedAction } from '@keelson/apimachinery'

/** Rules of the cluster role `system:node`, in kube-apiserver's order. The Node authorizer restricts many of them further. */
export const nodeRules: readonly NodeRule[] = [
  rule('authentication.k8s.io', ['tokenreviews'], ['create']),
  rule('authorization.k8s.io', ['subjectaccessreviews', 'localsubjectaccessreviews'], ['create']),
  rule('', ['services'], ['get', 'list', 'watch']),
  rule('', ['nodes'], ['create', 'get', 'list', 'watch']),
  rule('', ['nodes/status'], ['update', 'patch']),
  rule('', ['nodes'], ['update', 'patch']),
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'update', 'patch'] },
  rule('', ['pods'], ['get', 'list', 'watch']),
  rule('', ['pods'], ['create', 'delete']),
  rule('', ['pods/status'], ['update', 'patch']),
  rule('', ['pods/eviction'], ['create']),
  rule('', ['secrets', 'configmaps'], ['get', 'list', 'watch']),
  rule('', ['persistentvolumeclaims', 'persistentvolumes'], ['get']),
  rule('', ['endpoints'], ['get']),
  rule('certificates.k8s.io', ['certificatesigningrequests'], ['create', 'get', 'list', 'watch']),
  rule('coordination.k8s.io', ['leases'], ['get', 'create', 'update', 'patch', 'delete']),
  rule('storage.k8s.io', ['volumeattachments'], ['get']),
  rule('', ['serviceaccounts/token'], ['create']),
  rule('', ['persistentvolumeclaims/status'], ['get', 'update', 'patch']),
  rule('storage.k8s.io', ['csidrivers'], ['get', 'watch', 'list']),
  rule('storage.k8s.io', ['csinodes'], ['get', 'create', 'update', 'patch', 'delete']),
  rule('node.k8s.io', ['runtimeclasses'], ['get', 'list', 'watch']),
  rule('resource.k8s.io', ['resourceclaims'], ['get']),
  rule('resource.k8s.io', ['resourceslices'], ['deletecollection']),
  rule('', ['serviceaccounts'], ['get']),
]

export interface NodeRule {
  readonly apiGroups: readonly string[]
  /** Plurals, with the subresource if any. */
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

function rule(group: string, resources: readonly string[], verbs: readonly string[]): NodeRule {
  return { apiGroups: [group], resources, verbs }
}

/** Allowed verbs by resource, within each group. */
const verbs = new Map<string, Map<string, Set<string>>>()
for (const { apiGroups, resources, verbs: allowed } of nodeRules) {
  for (const group of apiGroups) {
    const byResource = verbs.get(group) ?? new Map<string, Set<string>>()
    verbs.set(group, byResource)
    for (const resource of resources) byResource.set(resource, new Set([...(byResource.get(resource) ?? []), ...allowed]))
  }
}

/** Returns whether the rules of every node allow the action. */
export function isAllowedByNodeRules({ isResourceRequest, apiGroup, resource, subresource, verb }: RequestedAction): boolean {
  if (!isResourceRequest) return false
  const path = subresource === '' ? resource : `${resource}/${subresource}`
  return verbs.get(apiGroup)?.get(path)?.has(verb) === true
}
