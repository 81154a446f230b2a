import type { FlowSchema, NonResourcePolicyRule, PolicyRulesWithSubjects, ResourcePolicyRule, Subject } from '@keelson/api/flowcontrol/v1'
import type { DeepReadonly, RequestedAction, UserInfo } from '@keelson/apimachinery'

/** Returns whether a schema applies to the requests of a user, or to an action. */
type Test<T> = (value: T) => boolean

interface CompiledRule {
  readonly appliesTo: Test<UserInfo>
  readonly matches: Test<RequestedAction>
}

/** A rule of a flow schema that applies to a user, and the target of the schema's requests. */
interface Candidate<T> {
  readonly target: T
  readonly matches: Test<RequestedAction>
}

/** Returns the target of a request. */
export type Classifier<T> = (action: RequestedAction, user: UserInfo) => T

/** A flow schema, and what requests that match it are assigned to. */
export interface SchemaTarget<T> {
  readonly schema: DeepReadonly<FlowSchema>
  readonly target: T
}

/**
 * Compiles flow schemas to a function that assigns requests to targets. The first schema with a matching rule decides, so `schemas` are in
 * order of precedence. A request that matches none gets `fallback`. The rules that apply to a user are determined once for each user object,
 * because a credential usually has the same object for all its requests.
 */
export function compileSchemas<T>(schemas: readonly SchemaTarget<T>[], fallback: T): Classifier<T> {
  const compiled = schemas.map(({ schema, target }) => ({ target, rules: (schema.spec?.rules ?? []).map(compileRule) }))
  const candidatesByUser = new WeakMap<UserInfo, readonly Candidate<T>[]>()

  function findCandidates(user: UserInfo): readonly Candidate<T>[] {
    const candidates: Candidate<T>[] = []
    for (const { target, rules } of compiled) {
      for (const { appliesTo, matches } of rules) if (appliesTo(user)) candidates.push({ target, matches })
    }
    return candidates
  }

  return (action, user) => {
    let candidates = candidatesByUser.get(user)
    if (candidates === undefined) candidatesByUser.set(user, (candidates = findCandidates(user)))
    for (let i = 0; i < candidates.length; i++) {
      const candidate = candidates[i]!
      if (candidate.matches(action)) return candidate.target
    }
    return fallback
  }
}

/** Compares flow schemas by precedence. Schemas with the same precedence are ordered by name. */
export function comparePrecedence(a: DeepReadonly<FlowSchema>, b: DeepReadonly<FlowSchema>): number {
  const difference = (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0)
  if (difference !== 0) return difference
  const [nameOfA = '', nameOfB = ''] = [a.metadata.name, b.metadata.name]
  return nameOfA < nameOfB ? -1 : Number(nameOfA > nameOfB)
}

function compileRule({ subjects, resourceRules, nonResourceRules }: DeepReadonly<PolicyRulesWithSubjects>): CompiledRule {
  const matchesResource = testAny((resourceRules ?? []).map(compileResourceRule))
  const matchesPath = testAny((nonResourceRules ?? []).map(compilePathRule))
  return {
    appliesTo: testAny((subjects ?? []).map(compileSubject)),
    matches: (action) => (action.isResourceRequest ? matchesResource(action) : matchesPath(action)),
  }
}

function testAny<T>(tests: readonly Test<T>[]): Test<T> {
  if (tests.length === 1) return tests[0]!
  return (value) => {
    for (let i = 0; i < tests.length; i++) if (tests[i]!(value)) return true
    return false
  }
}

function compileSubject({ kind, user, group, serviceAccount }: DeepReadonly<Subject>): Test<UserInfo> {
  if (kind === 'User' && user !== undefined) return user.name === '*' ? acceptAll : ({ name }) => name === user.name
  if (kind === 'Group' && group !== undefined) return group.name === '*' ? acceptAll : ({ groups }) => groups.includes(group.name)
  if (kind === 'ServiceAccount' && serviceAccount !== undefined) {
    const prefix = `system:serviceaccount:${serviceAccount.namespace}:`
    if (serviceAccount.name === '*') return ({ name }) => name.startsWith(prefix)
    const fullName = prefix + serviceAccount.name
    return ({ name }) => name === fullName
  }
  return refuseAll
}

function compileResourceRule(rule: DeepReadonly<ResourcePolicyRule>): Test<RequestedAction> {
  const verbs = compileNames(rule.verbs)
  const resources = compileNames(rule.resources)
  const groups = compileNames(rule.apiGroups)
  const namespaces = compileNames(rule.namespaces)
  const isClusterScoped = rule.clusterScope === true
  return ({ verb, resource, subresource, apiGroup, namespace }) =>
    (verbs === undefined || verbs.has(verb)) &&
    (resources === undefined || resources.has(subresource === '' ? resource : `${resource}/${subresource}`)) &&
    (groups === undefined || groups.has(apiGroup)) &&
    (namespace === '' ? isClusterScoped : namespaces === undefined || namespaces.has(namespace))
}

function compilePathRule({ verbs: verbNames, nonResourceURLs }: DeepReadonly<NonResourcePolicyRule>): Test<RequestedAction> {
  const verbs = compileNames(verbNames)
  const urls = nonResourceURLs ?? []
  if (urls.includes('*')) return ({ verb }) => verbs === undefined || verbs.has(verb)
  const paths = new Set(urls)
  // kube-apiserver also accepts all paths below a URL that does not end with "*".
  const prefixes = urls.map((url) => url.replace(/\*$/, '')).map((url) => (url.endsWith('/') ? url : `${url}/`))
  return ({ verb, path }) =>
    (verbs === undefined || verbs.has(verb)) && (paths.has(path) || prefixes.some((prefix) => path.startsWith(prefix)))
}

/** Returns the names in a list. Returns undefined for a list with only "*", which stands for all names. */
function compileNames(names: readonly string[] | null): ReadonlySet<string> | undefined {
  return names?.length === 1 && names[0] === '*' ? undefined : new Set(names)
}

function acceptAll(): boolean {
  return true
}

function refuseAll(): boolean {
  return false
}
