import type { FieldRequirement, JsonObject, LabelRequirement } from '@keelson/apimachinery'
import type { AuthorizerAttributes } from '../authorizer.ts'

/** Versions of SubjectAccessReview that webhooks understand. */
export type ReviewVersion = 'v1' | 'v1beta1'

/** Builds the spec of a SubjectAccessReview of version v1. Members with empty values are left out, like Go's `omitempty`. */
export function buildAccessReviewSpec({ user, action }: AuthorizerAttributes): JsonObject {
  const attributes = action.isResourceRequest
    ? {
        resourceAttributes: withoutEmpty({
          namespace: action.namespace,
          verb: action.verb,
          group: action.apiGroup,
          version: action.apiVersion,
          resource: action.resource,
          subresource: action.subresource,
          name: action.name,
          ...formatSelector('fieldSelector', action.fieldSelector?.map(toFieldRequirement)),
          ...formatSelector('labelSelector', action.labelSelector?.flatMap(toLabelRequirement)),
        }),
      }
    : { nonResourceAttributes: withoutEmpty({ path: action.path, verb: action.verb }) }
  return withoutEmpty({
    ...attributes,
    user: user.name,
    groups: [...user.groups],
    extra:
      user.extra === undefined
        ? {}
        : Object.fromEntries(
            Object.entries(user.extra)
              .sort(compareKeys)
              .map(([key, values]) => [key, [...values]]),
          ),
    uid: user.uid ?? '',
  })
}

/** Builds the SubjectAccessReview to send. In v1beta1, the field `groups` is named `group`. */
export function buildAccessReview(spec: JsonObject, version: ReviewVersion): JsonObject {
  const { groups, ...rest } = spec
  return {
    kind: 'SubjectAccessReview',
    apiVersion: `authorization.k8s.io/${version}`,
    metadata: {},
    spec: version === 'v1' || groups === undefined ? spec : { ...rest, group: groups },
    status: { allowed: false },
  }
}

function formatSelector(name: string, requirements: readonly JsonObject[] | undefined): JsonObject {
  return requirements === undefined || requirements.length === 0 ? {} : { [name]: { requirements: [...requirements] } }
}

function toFieldRequirement({ field, operator, value }: FieldRequirement): JsonObject {
  return { key: field, operator: operator === '=' ? 'In' : 'NotIn', values: [value] }
}

const labelOperators: Readonly<Partial<Record<LabelRequirement['operator'], string>>> = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
}

/**
 * Converts a label requirement. Requirements that the API cannot express are left out, so the webhook decides about more objects than the
 * request selects.
 */
function toLabelRequirement({ key, operator, values }: LabelRequirement): readonly JsonObject[] {
  const name = labelOperators[operator]
  if (name === undefined) return []
  return [{ key, operator: name, ...(values.length > 0 && { values: [...values] }) }]
}

function withoutEmpty(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !isEmpty(value)))
}

function isEmpty(value: JsonObject[string]): boolean {
  if (value === '') return true
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function compareKeys([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
