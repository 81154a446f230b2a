import type { PolicyRule } from '@keelson/api/rbac/v1'
import { createPathAction, createResourceAction } from '@keelson/apimachinery'
import type { RequestedAction } from '@keelson/apimachinery'
import * as fc from 'fast-check'

/** Evaluates one rule like kube-apiserver, without an index. */
export function evaluateRule(rule: PolicyRule, action: RequestedAction): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const has = (values: readonly string[] | null, wanted: string): boolean =>
    (values ?? []).some((value) => value === '*' || value === wanted)
  if (!has(verbs, action.verb)) return false
  if (!action.isResourceRequest) {
    return nonResourceURLs.some(
      (url) => url === '*' || url === action.path || (url.endsWith('*') && action.path.startsWith(url.replace(/\*+$/, ''))),
    )
  }
  const { resource, subresource, name } = action
  const combined = subresource === '' ? resource : `${resource}/${subresource}`
  const matches = resources.some((value) => value === '*' || value === combined || (subresource !== '' && value === `*/${subresource}`))
  return has(apiGroups, action.apiGroup) && matches && (resourceNames.length === 0 || resourceNames.includes(name))
}

/** Generates one or two of the values. The sets are small, so that rules and actions often match. */
const generateSome = <T>(...values: T[]): fc.Arbitrary<T[]> => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 })

export const aRule: fc.Arbitrary<PolicyRule> = fc.oneof(
  fc.record({
    verbs: generateSome('get', 'list', '*'),
    apiGroups: generateSome('', 'apps', '*'),
    resources: generateSome('pods', 'pods/log', 'pods/log/x', '*', '*/log', '*/x', 'nodes'),
    resourceNames: fc.subarray(['p', 'q'], { maxLength: 1 }),
  }),
  fc.record({ verbs: generateSome('get', '*'), nonResourceURLs: generateSome('/a', '/a/*', '*', '/a**') }),
)

export const anAction: fc.Arbitrary<RequestedAction> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({
        verb: fc.constantFrom('get', 'list', '*'),
        apiGroup: fc.constantFrom('', 'apps', '*'),
        namespace: fc.constantFrom('', 'a', 'b'),
        resource: fc.constantFrom('pods', 'pods', 'nodes', 'pods/log', '*'),
        subresource: fc.constantFrom('', 'log', 'x', 'log/x'),
        name: fc.constantFrom('', 'p', 'q'),
      })
      .map((action) => createResourceAction({ ...action, apiVersion: 'v1' })),
  },
  { weight: 1, arbitrary: fc.constantFrom('/a', '/a/b', '/', '/a*').map((path) => createPathAction('get', path)) },
)
