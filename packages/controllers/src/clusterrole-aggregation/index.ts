import { copyObject, labelSelectorAsSelector, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, LabelSelector } from '@keelson/apimachinery'
import { WorkQueue } from '@keelson/loopback'
import type { Informer } from '@keelson/loopback'
import { disposeAll, waitUntilSynced } from '../controller.ts'
import type { ControllerContext } from '../controller.ts'

interface ClusterRole extends KubeObject {
  rules: PolicyRule[] | null
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] }
}

interface PolicyRule {
  verbs: string[] | null
  apiGroups?: string[]
  resources?: string[]
  resourceNames?: string[]
  nonResourceURLs?: string[]
}

const controllerName = 'clusterrole-aggregation-controller'

/**
 * Starts the controller that fills the rules of aggregated ClusterRoles. It collects them from the roles that the selectors match, and
 * writes them by server-side apply with its own field manager.
 */
export function startClusterRoleAggregation(context: ControllerContext): AsyncDisposable | undefined {
  const { client, clock, informers, metrics } = context
  const clusterRoles = { group: 'rbac.authorization.k8s.io', resource: 'clusterroles' }
  const resource = client.resource<ClusterRole>(clusterRoles)
  const roles = informers.of<ClusterRole>(clusterRoles)
  if (resource === undefined || roles === undefined) return undefined
  const aggregated = new Set<string>()
  const queue = new WorkQueue({
    name: 'ClusterRoleAggregator',
    metrics,
    async process(name, signal) {
      if (!(await waitUntilSynced(signal, roles))) return
      const role = roles.get('', name)
      if (role?.aggregationRule === undefined) return
      const rules = collectRules(role, roles)
      if (equalsSemantically(rules, role.rules ?? [])) return
      const config = { metadata: { name }, ...(rules.length > 0 && { rules }) } as ClusterRole
      await resource.apply('', config, { fieldManager: controllerName })
    },
    clock,
    onError: (_name, error) => context.onError(controllerName, error),
  })
  // A change of any role may affect every aggregated role, because an aggregated role can include another one.
  const fromRoles = roles.subscribe(({ type, object }) => {
    const { name = '' } = object.metadata
    if (type !== 'deleted' && object.aggregationRule !== undefined) aggregated.add(name)
    else aggregated.delete(name)
    for (const roleName of aggregated) queue.add(roleName)
  })
  return disposeAll(queue, fromRoles)
}

/** Returns the rules of all matching roles without duplicates, sorted by selector and then by role name. */
function collectRules(role: DeepReadonly<ClusterRole>, roles: Informer<ClusterRole>): PolicyRule[] {
  const rulesByKey = new Map<string, PolicyRule>()
  for (const labelSelector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = labelSelectorAsSelector(labelSelector)
    const matching = roles.list().filter(({ metadata }) => metadata.name !== role.metadata.name && selector.matches(metadata.labels))
    for (const { rules } of matching.toSorted((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1))) {
      for (const rule of rules ?? []) {
        const key = formatRuleKey(rule)
        if (!rulesByKey.has(key)) rulesByKey.set(key, copyObject(rule) as PolicyRule)
      }
    }
  }
  return [...rulesByKey.values()]
}

function formatRuleKey({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: DeepReadonly<PolicyRule>): string {
  return JSON.stringify([verbs ?? [], apiGroups, resources, resourceNames, nonResourceURLs])
}
