import type { DeepReadonly, KubeObject, LabelsSelector } from '@keelson/apimachinery'
import type { SharedInformers } from '@keelson/loopback'
import type { AdmissionAttributes } from '../admission.ts'
import type { MatchCriteria } from '../matching/match-criteria.ts'
import type { Policy } from './policy-kinds.ts'

/** The parts of a policy that the selection reads. */
interface SelectableHook {
  readonly policy: DeepReadonly<Policy>
  readonly criteria: MatchCriteria
  readonly bindings: readonly { readonly criteria: MatchCriteria | undefined }[]
}

const namespaces = { group: '', resource: 'namespaces' }

type Labels = Readonly<Record<string, string>> | undefined

/**
 * Leaves out policies whose selectors do not match a write, without looking at each of them. Those for other namespaces are found once for
 * each state of a namespace, those for other labels by an index. Policies that are left in may still not match.
 */
export class HookSelection<Hook extends SelectableHook> {
  readonly #informers: SharedInformers
  /** The policies of a list that may match writes in a namespace. Both keys are replaced when they change. */
  readonly #byNamespace = new WeakMap<readonly Hook[], WeakMap<object, LabelIndex<Hook>>>()
  readonly #anywhere = new WeakMap<readonly Hook[], LabelIndex<Hook>>()

  constructor(informers: SharedInformers) {
    this.#informers = informers
  }

  select(hooks: readonly Hook[], attributes: AdmissionAttributes): readonly Hook[] {
    return hooks.length === 0 ? hooks : this.#indexOf(hooks, attributes).select(attributes)
  }

  #indexOf(hooks: readonly Hook[], { namespace, resource }: AdmissionAttributes): LabelIndex<Hook> {
    // The labels of a changed Namespace are those of the write.
    const isNamespaced = namespace !== '' && resource.resource !== 'namespaces'
    const found = isNamespaced ? this.#informers.of(namespaces)?.get('', namespace) : undefined
    if (found === undefined) return getOrCreate(this.#anywhere, hooks, () => new LabelIndex(hooks))
    const indexes = getOrCreate(this.#byNamespace, hooks, () => new WeakMap<object, LabelIndex<Hook>>())
    return getOrCreate(indexes, found, () => new LabelIndex(hooks.filter((hook) => mayMatchNamespace(hook, found))))
  }
}

/** Returns the value of a key, which is created if it is absent. */
function getOrCreate<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  create: () => Value,
): Value {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = create()))
  return value
}

function mayMatchNamespace({ policy, criteria, bindings }: SelectableHook, { metadata }: DeepReadonly<KubeObject>): boolean {
  const matches = (of: MatchCriteria): boolean => readSelector(of, 'namespace')?.matches(metadata.labels) ?? true
  if (!matches(criteria)) return false
  // A missing kind of parameters is an error even if no binding matches.
  return policy.spec?.paramKind !== undefined || bindings.some((bound) => bound.criteria === undefined || matches(bound.criteria))
}

/** Returns a selector; undefined if it is invalid. */
function readSelector(criteria: MatchCriteria, of: 'namespace' | 'object'): LabelsSelector | undefined {
  try {
    return criteria.selectors[of]
  } catch {
    return undefined
  }
}

/** A list of policies that is searched by the labels that their object selectors require. */
class LabelIndex<Hook extends SelectableHook> {
  readonly #hooks: readonly Hook[]
  /** Positions of the policies that do not require a certain label. */
  readonly #unindexed: number[] = []
  /** Positions of the policies by the key and the value of a label that they require. */
  readonly #byLabel = new Map<string, Map<string, number[]>>()

  constructor(hooks: readonly Hook[]) {
    this.#hooks = hooks
    for (const [position, { criteria }] of hooks.entries()) {
      const required = findRequiredLabel(readSelector(criteria, 'object'))
      if (required === undefined) this.#unindexed.push(position)
      else {
        const values = getOrCreate(this.#byLabel, required.key, () => new Map<string, number[]>())
        for (const value of required.values) getOrCreate(values, value, () => []).push(position)
      }
    }
  }

  /** Returns the policies whose required label the new or the old object has, in the order of the list. */
  select({ operation, object, oldObject }: AdmissionAttributes): readonly Hook[] {
    if (this.#byLabel.size === 0) return this.#hooks
    const found = new Set(this.#unindexed)
    if (operation !== 'CONNECT') {
      for (const labels of [object?.metadata?.labels, oldObject?.metadata?.labels]) this.#addTo(found, labels)
    }
    return found.size === 0 ? none : [...found].sort((a, b) => a - b).map((position) => this.#hooks[position]!)
  }

  #addTo(found: Set<number>, labels: Labels): void {
    if (labels === undefined) return
    for (const [key, values] of this.#byLabel) {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined
      for (const position of (value !== undefined && values.get(value)) || none) found.add(position)
    }
  }
}

const none: readonly never[] = []

/** Returns a label with the values of which a selector requires one. */
function findRequiredLabel(selector: LabelsSelector | undefined): { readonly key: string; readonly values: readonly string[] } | undefined {
  return selector?.requirements.find(({ operator }) => operator === '=' || operator === 'in')
}
