import type { CertificateSigningRequestCondition } from '@keelson/api/certificates/v1'
import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'

type Conditions = readonly DeepReadonly<CertificateSigningRequestCondition>[]

const path = newFieldPath('status', 'conditions')
/** Conditions whose only valid status is "True". */
const trueOnlyTypes: ReadonlySet<string> = new Set(['Approved', 'Denied', 'Failed'])
const statuses = ['False', 'True', 'Unknown']

export function validateRequestConditions(conditions: Conditions, old: Conditions = []): FieldErrorList {
  const allowUntyped = old.some(({ type }) => type === '')
  const allowBoth = hasConditionType(old, 'Approved') && hasConditionType(old, 'Denied')
  const allowRepeated = new Set(old.map(({ type }) => type)).size < old.length
  const visited = new Set<string>()
  const errors: FieldErrorList = []
  for (const [i, { type, status }] of conditions.entries()) {
    const at = path.index(i)
    if (type === '' && !allowUntyped) errors.push(fieldError.required(at.child('type')))
    const supported = trueOnlyTypes.has(type) ? ['True'] : statuses
    if (status === '') errors.push(fieldError.required(at.child('status')))
    else if (!supported.includes(status)) errors.push(fieldError.notSupported(at.child('status'), status, supported))
    const opposite = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined
    if (!allowBoth && opposite !== undefined && visited.has(opposite)) {
      errors.push(fieldError.invalid(path, type, 'Approved and Denied conditions are mutually exclusive'))
    }
    if (!allowRepeated && visited.has(type)) errors.push(fieldError.duplicate(at.child('type'), type))
    visited.add(type)
  }
  return errors
}

function hasConditionType(conditions: Conditions, conditionType: string): boolean {
  return conditions.some(({ type }) => type === conditionType)
}
