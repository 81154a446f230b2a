import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  ResourceAttributes,
  SelfSubjectAccessReviewSpec,
} from '@keelson/api/authorization/v1'
import { labelSelectorAsSelector, parseFieldSelector, parseLabelSelector, pathAction, resourceAction } from '@keelson/apimachinery'
import type { RequestedAction } from '@keelson/apimachinery'

export interface ReviewedRequest {
  readonly action: RequestedAction
  /** Says which selectors were ignored because they do not parse; "" if none. */
  readonly evaluationError: string
}

/** Builds the action that a review describes. */
export function reviewedAction({ resourceAttributes, nonResourceAttributes = {} }: SelfSubjectAccessReviewSpec): ReviewedRequest {
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes
    return { action: pathAction(verb, path), evaluationError: '' }
  }
  const { namespace = '', verb = '', group = '', version = '', resource = '', subresource = '', name = '' } = resourceAttributes
  const fields = parseRequirements(resourceAttributes, 'fieldSelector', parseFieldRequirements)
  const labels = parseRequirements(resourceAttributes, 'labelSelector', parseLabelRequirements)
  return {
    action: resourceAction({
      verb,
      apiGroup: group,
      apiVersion: version || '*',
      namespace,
      resource,
      subresource,
      name,
      ...(fields.text !== '' && { fieldSelector: fields.text }),
      ...(labels.text !== '' && { labelSelector: labels.text }),
    }),
    evaluationError: [fields.error, labels.error].filter((error) => error !== '').join('; '),
  }
}

interface ParsedSelector {
  readonly text: string
  readonly error: string
}

/** Joins the requirements that parse; `error` reports that others were ignored. */
function parseRequirements<K extends 'fieldSelector' | 'labelSelector'>(
  attributes: ResourceAttributes,
  member: K,
  formatters: (selector: NonNullable<ResourceAttributes[K]>) => readonly (() => string)[],
): ParsedSelector {
  const selector = attributes[member]
  const parsed: string[] = []
  let failed = false
  for (const format of selector === undefined ? [] : formatters(selector)) {
    try {
      parsed.push(format())
    } catch {
      failed = true
    }
  }
  const extent = parsed.length > 0 ? 'partially ignored' : 'ignored'
  return { text: parsed.join(','), error: failed ? `spec.resourceAttributes.${member} ${extent} due to parse error` : '' }
}

function parseFieldRequirements({ rawSelector = '', requirements = [] }: FieldSelectorAttributes): (() => string)[] {
  if (rawSelector !== '') return [() => parseFieldSelector(rawSelector).toString()]
  return requirements.map(({ key, operator, values = [] }) => () => {
    const symbol = operator === 'In' ? '=' : operator === 'NotIn' ? '!=' : undefined
    if (symbol === undefined || values.length !== 1) throw new Error('not supported')
    return parseFieldSelector(`${key}${symbol}${values[0]!}`).toString()
  })
}

function parseLabelRequirements({ rawSelector = '', requirements = [] }: LabelSelectorAttributes): (() => string)[] {
  if (rawSelector !== '') return [() => parseLabelSelector(rawSelector).toString()]
  return requirements.map((requirement) => () => labelSelectorAsSelector({ matchExpressions: [requirement] }).toString())
}
