import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  ResourceAttributes,
  SelfSubjectAccessReviewSpec,
} from '@keelson/api/authorization/v1'
import { labelSelectorAsSelector, parseFieldSelector, parseLabelSelector } from '@keelson/apimachinery'
import type { RequestInfo } from '@keelson/apimachinery'

export interface ReviewedRequest {
  readonly info: RequestInfo
  /** What of the selectors could not be read and is left out; "" when nothing. */
  readonly evaluationError: string
}

/** The request that a review asks about. */
export function requestInfoOf({ resourceAttributes, nonResourceAttributes = {} }: SelfSubjectAccessReviewSpec): ReviewedRequest {
  const nothing = { apiPrefix: '', apiGroup: '', apiVersion: '', namespace: '', resource: '', subresource: '', name: '', parts: [] }
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes
    return { info: { ...nothing, isResourceRequest: false, path, verb }, evaluationError: '' }
  }
  const { namespace = '', verb = '', group = '', version = '', resource = '', subresource = '', name = '' } = resourceAttributes
  const fields = selected(resourceAttributes, 'fieldSelector', fieldSelectorText)
  const labels = selected(resourceAttributes, 'labelSelector', labelSelectorText)
  return {
    info: {
      ...nothing,
      isResourceRequest: true,
      path: '',
      verb,
      apiGroup: group,
      apiVersion: version || '*',
      namespace,
      resource,
      subresource,
      name,
      ...(fields.text !== '' && { fieldSelector: fields.text }),
      ...(labels.text !== '' && { labelSelector: labels.text }),
    },
    evaluationError: [fields.error, labels.error].filter((error) => error !== '').join('; '),
  }
}

interface Selected {
  readonly text: string
  readonly error: string
}

/** Each requirement that can be read counts; the others are told of. */
function selected<K extends 'fieldSelector' | 'labelSelector'>(
  attributes: ResourceAttributes,
  member: K,
  texts: (selector: NonNullable<ResourceAttributes[K]>) => readonly (() => string)[],
): Selected {
  const selector = attributes[member]
  const read: string[] = []
  let failed = false
  for (const text of selector === undefined ? [] : texts(selector)) {
    try {
      read.push(text())
    } catch {
      failed = true
    }
  }
  const how = read.length > 0 ? 'partially ignored' : 'ignored'
  return { text: read.join(','), error: failed ? `spec.resourceAttributes.${member} ${how} due to parse error` : '' }
}

function fieldSelectorText({ rawSelector = '', requirements = [] }: FieldSelectorAttributes): (() => string)[] {
  if (rawSelector !== '') return [() => parseFieldSelector(rawSelector).toString()]
  return requirements.map(({ key, operator, values = [] }) => () => {
    const symbol = operator === 'In' ? '=' : operator === 'NotIn' ? '!=' : undefined
    if (symbol === undefined || values.length !== 1) throw new Error('not supported')
    return parseFieldSelector(`${key}${symbol}${values[0]!}`).toString()
  })
}

function labelSelectorText({ rawSelector = '', requirements = [] }: LabelSelectorAttributes): (() => string)[] {
  if (rawSelector !== '') return [() => parseLabelSelector(rawSelector).toString()]
  return requirements.map((requirement) => () => labelSelectorAsSelector({ matchExpressions: [requirement] }).toString())
}
