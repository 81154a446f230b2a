import { newBadRequest } from './api-errors.ts'
import { aggregateFieldErrors } from './field-error.ts'
import type { FieldPath } from './field-error.ts'
import { foldRequirements } from './folded-requirements.ts'
import { quote } from './go-text.ts'
import { checkRequirement, requirementMatches, requirementString } from './label-requirement.ts'
import type { LabelOperator, LabelRequirement, Labels } from './label-requirement.ts'
import { parseRequirements } from './label-selector-parser.ts'
import type { DeepReadonly, LabelSelector } from './meta.ts'

const noLabels: Labels = {}
/** Maximum number of requirements that are tested one by one. Up to this number, that is faster. */
const maxLinearRequirements = 8

/** A conjunction of requirements. Immutable. */
export class LabelsSelector {
  /** Sorted by key. Empty for both `everything()` and `nothing()`; see `selectsNothing`. */
  readonly requirements: readonly LabelRequirement[]
  readonly selectsNothing: boolean
  #folded: ((labels: Labels) => boolean) | undefined

  constructor(requirements: readonly LabelRequirement[], selectsNothing = false) {
    this.requirements = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    this.selectsNothing = selectsNothing
  }

  /** True if the selector matches everything. */
  get empty(): boolean {
    return this.requirements.length === 0 && !this.selectsNothing
  }

  /** True if there are so many requirements or values that only `matches` is fast. */
  get large(): boolean {
    return this.requirements.length > maxLinearRequirements || this.requirements.some(({ values }) => values.length > maxLinearRequirements)
  }

  matches(labels: Labels | undefined): boolean {
    if (this.selectsNothing) return false
    if (this.requirements.length > maxLinearRequirements) return (this.#folded ??= foldRequirements(this.requirements))(labels ?? noLabels)
    for (const requirement of this.requirements) if (!requirementMatches(requirement, labels ?? noLabels)) return false
    return true
  }

  /** Returns the value that the selector requires of `label`, if it requires exactly one. */
  requiresExactMatch(label: string): string | undefined {
    const requirement = this.requirements.find((r) => r.key === label)
    if (requirement === undefined || requirement.values.length !== 1) return undefined
    return ['=', '==', 'in'].includes(requirement.operator) ? requirement.values[0] : undefined
  }

  and(...requirements: LabelRequirement[]): LabelsSelector {
    return this.selectsNothing ? this : new LabelsSelector([...this.requirements, ...requirements])
  }

  toString(): string {
    return this.requirements.map(requirementString).join(',')
  }
}

const all = new LabelsSelector([])
const none = new LabelsSelector([], true)

export function everything(): LabelsSelector {
  return all
}

export function nothing(): LabelsSelector {
  return none
}

/** Parses `?labelSelector=`. Throws BadRequest. `path` is only used in messages. */
export function parseLabelSelector(text: string, path?: FieldPath): LabelsSelector {
  if (text === '') return all
  return new LabelsSelector(parseRequirements(text, path))
}

/** Builds a selector that requires these labels. Does not validate them: they must be the labels of an object. */
export function selectorFromLabels(labels: Labels | undefined): LabelsSelector {
  if (labels === undefined) return all
  return new LabelsSelector(Object.entries(labels).map(([key, value]) => ({ key, operator: '=', values: [value] })))
}

const operators: Readonly<Record<string, LabelOperator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' }

/**
 * Converts a `metav1.LabelSelector`. An absent selector selects nothing, an empty one everything. Throws BadRequest with kube-apiserver's
 * message.
 */
export function labelSelectorAsSelector(selector: DeepReadonly<LabelSelector> | undefined): LabelsSelector {
  if (selector === undefined) return none
  const requirements: LabelRequirement[] = []
  const add = (requirement: LabelRequirement): void => {
    const errors = checkRequirement(requirement)
    if (errors.length > 0) throw newBadRequest(aggregateFieldErrors(errors))
    requirements.push(requirement)
  }
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) add({ key, operator: '=', values: [value] })
  for (const expression of selector.matchExpressions ?? []) {
    const operator = Object.hasOwn(operators, expression.operator) ? operators[expression.operator] : undefined
    if (operator === undefined) throw newBadRequest(`${quote(expression.operator)} is not a valid label selector operator`)
    add({ key: expression.key, operator, values: expression.values ?? [] })
  }
  return requirements.length === 0 ? all : new LabelsSelector(requirements)
}
