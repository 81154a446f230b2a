import { labelSelectorAsSelector } from '@keelson/apimachinery'
import type { DeepReadonly, GroupVersionKind, GroupVersionResource, LabelSelector, LabelsSelector } from '@keelson/apimachinery'
import type { EquivalentResource } from '@keelson/registry'
import type { AdmissionAttributes, AdmissionOperation } from '../admission.ts'

/** A rule of a webhook or a policy. */
export interface MatchRule {
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: string
  /** Names of the matched objects. Default: all names. Only policies have them. */
  readonly resourceNames?: readonly string[]
}

/** The criteria of a webhook or a policy, as in its configuration. */
export interface MatchSpec {
  /** The rules, one of which has to match. Undefined matches everything, an empty list matches nothing. */
  readonly rules: readonly MatchRule[] | undefined
  /** Rules for excluded writes. Default: none. */
  readonly excludeRules?: readonly MatchRule[] | undefined
  readonly namespaceSelector?: DeepReadonly<LabelSelector> | undefined
  readonly objectSelector?: DeepReadonly<LabelSelector> | undefined
  /** "Equivalent" also matches writes through another version of a matched resource. Default: "Exact". */
  readonly matchPolicy?: string | undefined
}

/** The resource of a rule that matches a write, and its kind, to which the objects have to be converted. */
export interface MatchedResource {
  readonly resource: GroupVersionResource
  readonly subresource: string
  readonly kind: GroupVersionKind
}

/** A rule that matches a path if the write has one of the names. */
interface PathMatch {
  /** Undefined for all names. */
  readonly names: ReadonlySet<string> | undefined
  readonly matched: MatchedResource
}

/** The rules that match the writes to one path. */
interface PathMatches {
  readonly excluded: readonly PathMatch[]
  readonly included: readonly PathMatch[]
}

/** The compiled criteria of a webhook, a policy or a binding. */
export class MatchCriteria {
  readonly #spec: MatchSpec
  readonly #paths = new PathCache<PathMatches>()
  #selectors: { readonly namespace: LabelsSelector; readonly object: LabelsSelector } | undefined

  constructor(spec: MatchSpec) {
    this.#spec = spec
  }

  /** Returns false if no write to the path with this operation matches, whatever its objects are. */
  coversPath(attributes: AdmissionAttributes): boolean {
    return this.#compute(attributes).included.length > 0
  }

  /** Returns the resource of the rule that matches the path and the name of a write. */
  matchRules(attributes: AdmissionAttributes): MatchedResource | undefined {
    const { excluded, included } = this.#paths.get(attributes, () => this.#compute(attributes))
    const { name } = attributes
    const matches = ({ names }: PathMatch): boolean => names === undefined || names.has(name)
    if (excluded.some(matches)) return undefined
    return included.find(matches)?.matched
  }

  /** The selectors of the namespace and of the object. An absent selector matches everything. Throws BadRequest if one is invalid. */
  get selectors(): { readonly namespace: LabelsSelector; readonly object: LabelsSelector } {
    const { namespaceSelector = {}, objectSelector = {} } = this.#spec
    return (this.#selectors ??= {
      namespace: labelSelectorAsSelector(namespaceSelector),
      object: labelSelectorAsSelector(objectSelector),
    })
  }

  #compute(attributes: AdmissionAttributes): PathMatches {
    const { rules, excludeRules = [], matchPolicy } = this.#spec
    const { resource, subresource, kind } = attributes
    const requestedResource = { resource, subresource, kind }
    const equivalents = matchPolicy === 'Equivalent' ? attributes.equivalents : []
    return {
      excluded: matchPath(excludeRules, attributes, equivalents),
      included: rules === undefined ? [{ names: undefined, matched: requestedResource }] : matchPath(rules, attributes, equivalents),
    }
  }
}

/** Returns the rules that match a path, in the order of their precedence: a rule for the path itself comes before those for equivalents. */
function matchPath(
  rules: readonly MatchRule[],
  attributes: AdmissionAttributes,
  equivalents: readonly EquivalentResource[],
): readonly PathMatch[] {
  const { subresource } = attributes
  const found: PathMatch[] = []
  const add = ({ resourceNames = [] }: MatchRule, { resource, kind }: EquivalentResource): void => {
    const names = resourceNames.length === 0 ? undefined : new Set(resourceNames)
    found.push({ names, matched: { resource, subresource, kind } })
  }
  for (const rule of rules) if (matchesRule(rule, attributes, attributes.resource)) add(rule, attributes)
  for (const rule of rules) {
    for (const equivalent of equivalents) if (matchesRule(rule, attributes, equivalent.resource)) add(rule, equivalent)
  }
  return found
}

function matchesRule(rule: MatchRule, attributes: AdmissionAttributes, resource: GroupVersionResource): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [] } = rule
  return (
    matchesScope(rule.scope, attributes, resource) &&
    includes(operations, attributes.operation) &&
    includes(apiGroups, resource.group) &&
    includes(apiVersions, resource.version) &&
    resources.some((path) => includesPath(path, resource.resource, attributes.subresource))
  )
}

function matchesScope(scope: string | undefined, { namespace }: AdmissionAttributes, resource: GroupVersionResource): boolean {
  if (scope === undefined || scope === '*') return true
  const { group, version, resource: plural } = resource
  // The attributes of a write to a Namespace have its name as their namespace, but a Namespace is not namespaced.
  const isNamespaced = namespace !== '' && !(group === '' && version === 'v1' && plural === 'namespaces')
  if (scope === 'Namespaced') return isNamespaced
  return scope === 'Cluster' && !isNamespaced
}

function includes(items: readonly string[], name: string): boolean {
  return items.includes('*') || items.includes(name)
}

/** Returns whether the entry of a rule ("pods", "pods/*", "*\/status", "*") includes a path. */
function includesPath(entry: string, resource: string, subresource: string): boolean {
  const slash = entry.indexOf('/')
  const [wanted, wantedSubresource] = slash < 0 ? [entry, ''] : [entry.slice(0, slash), entry.slice(slash + 1)]
  return (wanted === '*' || wanted === resource) && (wantedSubresource === '*' || wantedSubresource === subresource)
}

const operationNumbers: Readonly<Record<AdmissionOperation, number>> = { CREATE: 0, UPDATE: 2, DELETE: 4, CONNECT: 6 }

/** Values for each combination of path, operation and scope. A path's values are dropped with the path. */
export class PathCache<Value> {
  readonly #values = new WeakMap<readonly EquivalentResource[], Value[]>()

  get(attributes: AdmissionAttributes, compute: () => Value): Value {
    const { equivalents, operation, namespace } = attributes
    let values = this.#values.get(equivalents)
    if (values === undefined) this.#values.set(equivalents, (values = []))
    return (values[operationNumbers[operation] + (namespace === '' ? 1 : 0)] ??= compute())
  }
}
