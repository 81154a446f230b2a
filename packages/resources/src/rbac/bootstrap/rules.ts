import type { PolicyRule } from '@keelson/api/rbac/v1'

export const read = 'get list watch'
export const write = 'create delete deletecollection patch update'
export const readUpdate = 'get list patch update watch'
export const readWrite = 'create delete deletecollection get list patch update watch'

interface ResourceWords {
  /** API groups separated by spaces; "core" is the core group. Default: "core". */
  readonly groups?: string
  readonly resources: string
  readonly names?: string
}

/** Builds a rule for resources. Items of lists are separated by spaces. */
export function can(verbs: string, { groups = 'core', resources, names }: ResourceWords): PolicyRule {
  return {
    verbs: verbs.split(' '),
    apiGroups: groups.split(' ').map((group) => (group === 'core' ? '' : group)),
    resources: resources.split(' '),
    ...(names !== undefined && { resourceNames: names.split(' ') }),
  }
}

/** Builds a rule for paths that are not resources. */
export function canRequest(verbs: string, paths: string): PolicyRule {
  return { verbs: verbs.split(' '), nonResourceURLs: paths.split(' ') }
}

export const recordEvents: PolicyRule = can('create patch update', { groups: 'core events.k8s.io', resources: 'events' })
