import type { PolicyRule } from '@keelson/api/rbac/v1'
import type { DeepReadonly, RequestedAction } from '@keelson/apimachinery'

/** Returns whether one of the values is `*` or `value`. */
function matches(values: readonly string[] | null | undefined, value: string): boolean {
  if (values === null || values === undefined) return false
  for (let i = 0; i < values.length; i++) if (values[i] === '*' || values[i] === value) return true
  return false
}

type Rule = DeepReadonly<PolicyRule>

/**
 * Index of the rules of one role by resource and subresource. A rule about `pods/log` is stored under `pods` and `log`; a rule about a
 * subresource of all resources is stored under `*`. A decision reads four short lists, however many rules the role has.
 */
export class RuleIndex {
  readonly #resources = new Map<string, Map<string, Rule[]>>()
  readonly #urls: Rule[] = []
  readonly #rules: readonly Rule[]

  constructor(rules: readonly Rule[]) {
    this.#rules = rules
    for (const rule of rules) {
      for (const resource of new Set(rule.resources)) this.#addRule(resource, rule)
      if (rule.nonResourceURLs !== undefined && rule.nonResourceURLs.length > 0) this.#urls.push(rule)
    }
  }

  /** True if a rule has `nonResourceURLs`. */
  get hasPaths(): boolean {
    return this.#urls.length > 0
  }

  /** Returns whether a rule covers the resource, one of its subresources, or all resources. */
  mentions(resource: string): boolean {
    return this.#resources.has(resource) || this.#resources.has('*')
  }

  allows(action: RequestedAction): boolean {
    if (!action.isResourceRequest) return this.#allowsPath(action)
    const { resource, subresource } = action
    // The resource of an ordinary request contains no slash, but a SubjectAccessReview can name any resource.
    if (resource.includes('/')) return this.#rules.some((rule) => matchesResource(rule, action) && allowsObject(rule, action))
    const resourceRules = this.#resources.get(resource)
    if (resourceRules !== undefined && allowsByAny(resourceRules.get(subresource), action)) return true
    const wild = this.#resources.get('*')
    if (wild === undefined) return false
    return allowsByAny(wild.get(''), action) || (subresource !== '' && allowsByAny(wild.get(subresource), action))
  }

  #allowsPath({ verb, path }: RequestedAction): boolean {
    for (const rule of this.#urls) {
      if (matches(rule.verbs, verb) && rule.nonResourceURLs!.some((url) => matchesUrl(url, path))) return true
    }
    return false
  }

  #addRule(resource: string, rule: Rule): void {
    const slash = resource.indexOf('/')
    const main = slash < 0 ? resource : resource.slice(0, slash)
    const subresource = slash < 0 ? '' : resource.slice(slash + 1)
    let bySubresource = this.#resources.get(main)
    if (bySubresource === undefined) this.#resources.set(main, (bySubresource = new Map()))
    const filed = bySubresource.get(subresource)
    if (filed === undefined) bySubresource.set(subresource, [rule])
    else filed.push(rule)
  }
}

function allowsByAny(rules: readonly Rule[] | undefined, action: RequestedAction): boolean {
  if (rules === undefined) return false
  for (let i = 0; i < rules.length; i++) if (allowsObject(rules[i]!, action)) return true
  return false
}

function allowsObject(rule: Rule, { verb, apiGroup, name }: RequestedAction): boolean {
  const { resourceNames } = rule
  return (
    matches(rule.verbs, verb) &&
    matches(rule.apiGroups, apiGroup) &&
    (resourceNames === undefined || resourceNames.length === 0 || resourceNames.includes(name))
  )
}

function matchesResource({ resources = [] }: Rule, { resource, subresource }: RequestedAction): boolean {
  const combined = subresource === '' ? resource : `${resource}/${subresource}`
  return resources.some((entry) => entry === '*' || entry === combined || (subresource !== '' && entry === `*/${subresource}`))
}

/** Returns whether a `nonResourceURLs` entry, which may end in `*`, covers the path. */
function matchesUrl(url: string, path: string): boolean {
  if (url === path) return true
  if (!url.endsWith('*')) return false
  let end = url.length
  while (end > 0 && url[end - 1] === '*') end--
  return path.startsWith(url.slice(0, end))
}
