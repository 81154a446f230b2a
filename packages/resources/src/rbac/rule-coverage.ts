import type { PolicyRule } from '@keelson/api/rbac/v1'
import { compareUtf8, quote, pauseIfLong } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'

type Rule = DeepReadonly<PolicyRule>

/** A single permission: one verb on one resource or path. */
interface Permission {
  readonly verb: string
  readonly apiGroup?: string
  readonly resource?: string
  readonly resourceName?: string
  readonly url?: string
}

/** Lists the permissions in `rules` that no single rule of `held` covers, each as a rule. Long computations yield to other requests. */
export async function findMissingRules(held: readonly Rule[], rules: readonly Rule[]): Promise<readonly PolicyRule[]> {
  const missing: PolicyRule[] = []
  let started = performance.now()
  for (const permission of listPermissions(rules)) {
    if (!held.some((rule) => covers(rule, permission))) missing.push(toRule(permission))
    const pause = pauseIfLong(started)
    if (pause === undefined) continue
    await pause
    started = performance.now()
  }
  return missing
}

function* listPermissions(rules: readonly Rule[]): Generator<Permission> {
  for (const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } of rules) {
    for (const apiGroup of apiGroups) {
      for (const resource of resources) {
        for (const verb of verbs ?? []) {
          if (resourceNames.length === 0) yield { verb, apiGroup, resource }
          else for (const resourceName of resourceNames) yield { verb, apiGroup, resource, resourceName }
        }
      }
    }
    for (const url of nonResourceURLs) for (const verb of verbs ?? []) yield { verb, url }
  }
}

function covers(rule: Rule, { verb, apiGroup, resource, resourceName, url }: Permission): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  if (!includesOrAll(verbs ?? [], verb)) return false
  if (url !== undefined) return nonResourceURLs.some((held) => coversUrl(held, url)) && resourceNames.length === 0
  if (!includesOrAll(apiGroups, apiGroup!) || !coversResource(resources, resource!)) return false
  return resourceNames.length === 0 || (resourceName !== undefined && resourceNames.includes(resourceName))
}

function includesOrAll(values: readonly string[], value: string): boolean {
  return values.includes('*') || values.includes(value)
}

function coversResource(held: readonly string[], resource: string): boolean {
  if (includesOrAll(held, resource)) return true
  const slash = resource.indexOf('/')
  return slash >= 0 && held.includes(`*${resource.slice(slash)}`)
}

function coversUrl(held: string, url: string): boolean {
  return held === url || (held.endsWith('*') && url.startsWith(withoutStars(held)))
}

/** Removes all trailing `*` characters. */
function withoutStars(url: string): string {
  let end = url.length
  while (end > 0 && url[end - 1] === '*') end--
  return url.slice(0, end)
}

function toRule({ verb, apiGroup, resource, resourceName, url }: Permission): PolicyRule {
  if (url !== undefined) return { verbs: [verb], nonResourceURLs: [url] }
  return {
    verbs: [verb],
    apiGroups: [apiGroup!],
    resources: [resource!],
    ...(resourceName !== undefined && { resourceNames: [resourceName] }),
  }
}

/** Formats missing rules for an error message. Verbs on the same object are combined. Each object has one line; lines are sorted. */
export function describeRules(rules: readonly PolicyRule[]): string {
  const byObject = new Map<string, PolicyRule>()
  const lines = new Set<string>()
  for (const rule of rules) {
    const { verbs, apiGroups, resources, resourceNames = [], nonResourceURLs } = rule
    if (nonResourceURLs !== undefined) {
      lines.add(describeRule(rule))
      continue
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames])
    const existing = byObject.get(key)
    if (existing === undefined) byObject.set(key, { ...rule, verbs: [...(verbs ?? [])] })
    else for (const verb of verbs ?? []) existing.verbs!.push(verb)
  }
  for (const rule of byObject.values()) lines.add(describeRule(rule))
  return [...lines].toSorted(compareUtf8).join('\n')
}

function describeRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const members = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ] as const
  return `{${members.flatMap(([name, values]) => (values && values.length > 0 ? `${name}:${quoteAll(values)}` : [])).join(', ')}}`
}

/** Prints strings as Go's `%q` prints a slice. */
export function quoteAll(values: readonly string[]): string {
  return `[${values.map(quote).join(' ')}]`
}
