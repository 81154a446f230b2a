import { newBadRequest } from './api-errors.ts'
import { aggregateFieldErrors } from './field-error.ts'
import type { FieldPath } from './field-error.ts'
import { foldRequirements } from './folded-requirements.ts'
import { quote } from './go-text.ts'
import { checkRequirement, matchesRequirement, formatRequirement } from './label-requirement.ts'
import type { LabelOperator, LabelRequirement, Labels } from './label-requirement.ts'
import { parseRequirements } from './label-selector-parser.ts'
import type { DeepReadonly, LabelSelector } from './meta.ts'

const noLabels: Labels = {}
/** Maximum number of requirements that are tested one by one. For more requirements, a combined test (`foldRequirements`) is faster. */
const maxLinearRequirements = 8

/** A label selector: a conjunction of requirements. Immutable. */
export class LabelsSelector {
  /** The requirements, sorted by key. Empty for both `selectEverything()` and `selectNothing()`; `selectsNothing` distinguishes them. */
  readonly requirements: readonly LabelRequirement[]
  readonly selectsNothing: boolean
  #folded: ((labels: Labels) => boolean) | undefined

  constructor(requirements: readonly LabelRequirement[], selectsNothing = false) {
    this.requirements = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    this.selectsNothing = selectsNothing
  }

  /** True if the selector matches every object. */
  get empty(): boolean {
    return this.requirements.length === 0 && !this.selectsNothing
  }

  /** True if the selector has so many requirements or values that callers should use `matches` instead of testing each requirement. */
  get large(): boolean {
    return this.requirements.length > maxLinearRequirements || this.requirements.some(({ values }) => values.length > maxLinearRequirements)
  }

  matches(labels: Labels | undefined): boolean {
    if (this.selectsNothing) return false
    if (this.requirements.length > maxLinearRequirements) return (this.#folded ??= foldRequirements(this.requirements))(labels ?? noLabels)
    for (const requirement of this.requirements) if (!matchesRequirement(requirement, labels ?? noLabels)) return false
    return true
  }

  /** Returns the only value of `label` that the selector allows; undefined if it allows several. */
  requiresExactMatch(label: string): string | undefined {
    const requirement = this.requirements.find((r) => r.key === label)
    if (requirement === undefined || requirement.values.length !== 1) return undefined
    return ['=', '==', 'in'].includes(requirement.operator) ? requirement.values[0] : undefined
  }

  and(...requirements: LabelRequirement[]): LabelsSelector {
    return this.selectsNothing ? this : new LabelsSelector([...this.requirements, ...requirements])
  }

  toString(): string {
    return this.requirements.map(formatRequirement).join(',')
  }
}

const everythingSelector = new LabelsSelector([])
const none = new LabelsSelector([], true)

export function selectEverything(): LabelsSelector {
  return everythingSelector
}

export function selectNothing(): LabelsSelector {
  return none
}

/** Parses the query parameter `labelSelector`. Throws BadRequest. `path` is used only in error messages. */
export function parseLabelSelector(text: string, path?: FieldPath): LabelsSelector {
  if (text === '') return everythingSelector
  return new LabelsSelector(parseRequirements(text, path))
}

/** Returns a selector that requires these labels. Does not validate them: the labels must come from a valid object. */
export function createSelectorFromLabels(labels: Labels | undefined): LabelsSelector {
  if (labels === undefined) return everythingSelector
  return new LabelsSelector(Object.entries(labels).map(([key, value]) => ({ key, operator: '=', values: [value] })))
}

const operators: Readonly<Record<string, LabelOperator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' }

/**
 * Converts a `metav1.LabelSelector`. An absent selector matches nothing, an empty one matches everything. Throws BadRequest with kube-apiserver's
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
  return requirements.length === 0 ? everythingSelector : new LabelsSelector(requirements)
}
