import type { ResourceAttributes, SelfSubjectAccessReviewSpec } from '@keelson/api/authorization/v1'
import {
  appendAll,
  labelSelectorAsSelector,
  parseFieldSelector,
  parseLabelSelector,
  createPathAction,
  createResourceAction,
} from '@keelson/apimachinery'
import type { FieldRequirement, LabelRequirement, RequestedAction } from '@keelson/apimachinery'

export interface ReviewedRequest {
  readonly action: RequestedAction
  /** Error message about selectors that were ignored because they are not valid; "" if there are none. */
  readonly evaluationError: string
}

/** Builds the action that a review describes. */
export function buildReviewedAction({ resourceAttributes, nonResourceAttributes = {} }: SelfSubjectAccessReviewSpec): ReviewedRequest {
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes
    return { action: createPathAction(verb, path), evaluationError: '' }
  }
  const { namespace = '', verb = '', group = '', version = '', resource = '', subresource = '', name = '' } = resourceAttributes
  const fields = parseFieldSelectorOf(resourceAttributes)
  const labels = parseLabelSelectorOf(resourceAttributes)
  return {
    action: createResourceAction({
      verb,
      apiGroup: group,
      apiVersion: version || '*',
      namespace,
      resource,
      subresource,
      name,
      ...(fields.requirements.length > 0 && { fieldSelector: fields.requirements }),
      ...(labels.requirements.length > 0 && { labelSelector: labels.requirements }),
    }),
    evaluationError: [formatEvaluationError('fieldSelector', fields), formatEvaluationError('labelSelector', labels)]
      .filter((error) => error !== '')
      .join('; '),
  }
}

/** The valid requirements of a selector. Ignoring the others is safe, because the review then covers more objects. */
interface ParsedSelector<T> {
  readonly requirements: readonly T[]
  readonly failed: boolean
}

function formatEvaluationError(member: 'fieldSelector' | 'labelSelector', { requirements, failed }: ParsedSelector<unknown>): string {
  if (!failed) return ''
  return `spec.resourceAttributes.${member} ${requirements.length > 0 ? 'partially ignored' : 'ignored'} due to parse error`
}

function parseFieldSelectorOf({ fieldSelector = {} }: ResourceAttributes): ParsedSelector<FieldRequirement> {
  const { rawSelector = '', requirements = [] } = fieldSelector
  if (rawSelector !== '') return parseAll([rawSelector], (raw) => parseFieldSelector(raw).requirements)
  return parseAll(requirements, ({ key, operator, values = [] }) => {
    const symbol = operator === 'In' ? '=' : operator === 'NotIn' ? '!=' : undefined
    if (symbol === undefined || values.length !== 1) throw new Error('not supported')
    return [{ field: key, operator: symbol, value: values[0]! }]
  })
}

function parseLabelSelectorOf({ labelSelector = {} }: ResourceAttributes): ParsedSelector<LabelRequirement> {
  const { rawSelector = '', requirements = [] } = labelSelector
  if (rawSelector !== '') return parseAll([rawSelector], (raw) => parseLabelSelector(raw).requirements)
  return parseAll(requirements, (requirement) => labelSelectorAsSelector({ matchExpressions: [requirement] }).requirements)
}

function parseAll<In, Out>(inputs: readonly In[], parse: (input: In) => readonly Out[]): ParsedSelector<Out> {
  const requirements: Out[] = []
  let failed = false
  for (const input of inputs) {
    try {
      appendAll(requirements, parse(input))
    } catch {
      failed = true
    }
  }
  return { requirements, failed }
}
