import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '@keelson/api/apiextensions/v1'
import { aggregateMessages, quote, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { findCondition, hasState } from '../definitions/conditions.ts'
import type { ConditionState } from '../definitions/conditions.ts'

type Names = DeepReadonly<CustomResourceDefinitionNames>

/** Names that the definitions of one group have been granted. */
export class UsedNames {
  /** Plural, singular and short names. */
  readonly resources: NameCounts = new NameCounts()
  /** Kinds and list kinds. */
  readonly kinds: NameCounts = new NameCounts()

  get isEmpty(): boolean {
    return this.kinds.isEmpty
  }

  add(names: Names): void {
    this.#count(names, 1)
  }

  remove(names: Names): void {
    this.#count(names, -1)
  }

  #count({ plural, singular = '', shortNames, kind, listKind = '' }: Names, change: 1 | -1): void {
    this.resources.change(plural, change)
    this.resources.change(singular, change)
    for (const name of shortNames ?? []) this.resources.change(name, change)
    this.kinds.change(kind, change)
    this.kinds.change(listKind, change)
  }
}

/** Counts how often names are used, because several definitions may have a name for a moment. */
class NameCounts {
  readonly #counts = new Map<string, number>()

  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  has(name: string): boolean {
    return this.#counts.has(name)
  }

  change(name: string, change: 1 | -1): void {
    const count = (this.#counts.get(name) ?? 0) + change
    if (count === 0) this.#counts.delete(name)
    else this.#counts.set(name, count)
  }
}

/** The names that a definition is granted, and the conditions that follow from them. */
export interface AcceptedNames {
  readonly names: CustomResourceDefinitionNames
  readonly namesAccepted: ConditionState
  readonly established: ConditionState
}

const noNames: Names = { plural: '', kind: '' }
const noConflicts: ConditionState = { status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
const notAccepted: ConditionState = { status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
const installing: ConditionState = { status: 'False', reason: 'Installing', message: 'the initial names have been accepted' }

/** Returns whether a definition has exactly the names that it requests. */
export function hasRequestedNames({ spec, status }: DeepReadonly<CustomResourceDefinition>): boolean {
  return equalsSemantically(sortNames(spec.names), sortNames(status?.acceptedNames ?? noNames))
}

/**
 * Grants a definition every requested name that no definition of its group has. A name in conflict keeps its earlier value, and the
 * condition reports the last conflict. Returns undefined if nothing changes. `used` contains the names of the whole group.
 */
export function acceptNames(definition: DeepReadonly<CustomResourceDefinition>, used: UsedNames): AcceptedNames | undefined {
  if (hasRequestedNames(definition)) return undefined
  const requested = definition.spec.names
  const accepted = definition.status?.acceptedNames ?? noNames
  const names: { -readonly [K in keyof Names]: Names[K] } = { ...accepted }
  let namesAccepted = noConflicts
  const grant = (reason: string, conflicts: readonly string[], apply: () => void): void => {
    if (conflicts.length === 0) apply()
    else namesAccepted = { status: 'False', reason, message: aggregateMessages(conflicts) }
  }
  const check = (name: string, present: string, taken: NameCounts): string[] =>
    name === present || !taken.has(name) ? [] : [`${quote(name)} is already in use`]

  grant('PluralConflict', check(requested.plural, accepted.plural, used.resources), () => (names.plural = requested.plural))
  const singular = requested.singular ?? ''
  grant('SingularConflict', check(singular, accepted.singular ?? '', used.resources), () => (names.singular = singular))
  const acceptedShortNames = new Set(accepted.shortNames)
  const conflicts = (requested.shortNames ?? [])
    .filter((name) => !acceptedShortNames.has(name))
    .flatMap((name) => check(name, '', used.resources))
  grant('ShortNamesConflict', conflicts, () => (names.shortNames = requested.shortNames ?? []))
  grant('KindConflict', check(requested.kind, accepted.kind, used.kinds), () => (names.kind = requested.kind))
  const listKind = requested.listKind ?? ''
  grant('ListKindConflict', check(listKind, accepted.listKind ?? '', used.kinds), () => (names.listKind = listKind))
  names.categories = requested.categories ?? []

  const granted = sortNames(names)
  const isUnchanged =
    equalsSemantically(sortNames(accepted), granted) && hasState(findCondition(definition, 'NamesAccepted'), namesAccepted)
  return isUnchanged ? undefined : { names: granted, namesAccepted, established: decideEstablished(definition, namesAccepted) }
}

/** Returns the Established condition. It becomes true later, when the resource is served, so that no client finds it too early. */
function decideEstablished(definition: DeepReadonly<CustomResourceDefinition>, namesAccepted: ConditionState): ConditionState {
  const { status = 'False', reason = '', message = '' } = findCondition(definition, 'Established') ?? notAccepted
  if (status !== 'True' && namesAccepted.status === 'True') return installing
  return { status: status as ConditionState['status'], reason, message }
}

/** Returns the names without empty ones, in the order of the API type. */
function sortNames({ plural, singular, shortNames, kind, listKind, categories }: Names): CustomResourceDefinitionNames {
  return {
    plural,
    ...(singular && { singular }),
    ...(shortNames && shortNames.length > 0 && { shortNames: [...shortNames] }),
    kind,
    ...(listKind && { listKind }),
    ...(categories && categories.length > 0 && { categories: [...categories] }),
  }
}
