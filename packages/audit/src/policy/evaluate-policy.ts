import type { RequestedAction, UserInfo } from '@keelson/apimachinery'
import type { AuditLevel, AuditPolicy, AuditStage, GroupResources, PolicyRule } from './policy.ts'

/** What the policy requires for a request. */
export interface AuditConfig {
  readonly level: AuditLevel
  readonly omitStages: ReadonlySet<AuditStage>
  readonly omitManagedFields: boolean
}

/** Returns what the policy requires for a request. Allocates no memory. */
export type EvaluatePolicy = (user: UserInfo, action: RequestedAction) => AuditConfig

type Matches = (user: UserInfo, action: RequestedAction) => boolean

/** Compiles a policy. The first rule that matches decides; without one, the level is None. */
export function compilePolicy(policy: AuditPolicy): EvaluatePolicy {
  const { omitStages = [], omitManagedFields = false } = policy
  const rules = policy.rules.map((rule) => ({
    matches: compileRule(rule),
    config: {
      level: rule.level,
      omitStages: new Set([...omitStages, ...(rule.omitStages ?? [])]),
      omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
    },
  }))
  const unmatched: AuditConfig = { level: 'None', omitStages: new Set(omitStages), omitManagedFields }
  return (user, action) => {
    for (const { matches, config } of rules) if (matches(user, action)) return config
    return unmatched
  }
}

function compileRule({
  users = [],
  userGroups = [],
  verbs = [],
  namespaces = [],
  resources = [],
  nonResourceURLs = [],
}: PolicyRule): Matches {
  const checks: Matches[] = []
  if (users.length > 0) {
    const names = new Set(users)
    checks.push((user) => names.has(user.name))
  }
  if (userGroups.length > 0) {
    const groups = new Set(userGroups)
    checks.push((user) => user.groups.some((group) => groups.has(group)))
  }
  if (verbs.length > 0) {
    const knownNames = new Set(verbs)
    checks.push((_user, { verb }) => knownNames.has(verb))
  }
  if (namespaces.length > 0 || resources.length > 0) checks.push(compileResources(namespaces, resources))
  else if (nonResourceURLs.length > 0) checks.push(compilePaths(nonResourceURLs))
  return (user, action) => {
    for (const check of checks) if (!check(user, action)) return false
    return true
  }
}

function compilePaths(patterns: readonly string[]): Matches {
  const exact = new Set(patterns)
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1))
  return (_user, { isResourceRequest, path }) => {
    if (isResourceRequest) return false
    if (exact.has(path)) return true
    for (const prefix of prefixes) if (path.startsWith(prefix)) return true
    return false
  }
}

function compileResources(namespaces: readonly string[], resources: readonly GroupResources[]): Matches {
  const knownNames = new Set(namespaces)
  const groups = resources.map(compileGroup)
  return (_user, action) => {
    if (!action.isResourceRequest) return false
    if (knownNames.size > 0 && !knownNames.has(action.namespace)) return false
    if (groups.length === 0) return true
    for (const matches of groups) if (matches(action)) return true
    return false
  }
}

function compileGroup({ group = '', resources = [], resourceNames = [] }: GroupResources): (action: RequestedAction) => boolean {
  const [plurals, names] = [new Set(resources), new Set(resourceNames)]
  return (action) => {
    if (group !== '*' && group !== action.apiGroup) return false
    if (plurals.size === 0) return true
    if (names.size > 0 && !names.has(action.name)) return false
    const { resource, subresource } = action
    if (plurals.has('*') || plurals.has(`${resource}/*`)) return true
    return subresource === '' ? plurals.has(resource) : plurals.has(`${resource}/${subresource}`) || plurals.has(`*/${subresource}`)
  }
}
