import { fieldError } from './field-error.ts'
import type { FieldErrorList, FieldPath } from './field-error.ts'
import { measureUtf8Bytes } from './go-text.ts'
import type { DeepReadonly } from './meta.ts'
import { validateLabelName } from './object-meta-validation.ts'
import { formatRegexMessage } from './name-format.ts'

/** A condition in a status (metav1.Condition): an observation that a controller reports. */
export interface Condition {
  type: string
  status: string
  observedGeneration?: number
  lastTransitionTime: string | null
  reason: string
  message: string
}

const reasonFormat = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?'
const reasonPattern = new RegExp(`^${reasonFormat}$`)
const reasonMessage = formatRegexMessage(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reasonFormat,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
)
const maxReasonLength = 1024
const maxMessageLength = 32 * 1024

export function validateConditions(conditions: DeepReadonly<Condition[]> | undefined, path: FieldPath): FieldErrorList {
  const visited = new Set<string>()
  return (conditions ?? []).flatMap((condition, i) => {
    const errors = validateCondition(condition, path.index(i))
    if (visited.has(condition.type)) errors.unshift(fieldError.duplicate(path.index(i).child('type'), condition.type))
    visited.add(condition.type)
    return errors
  })
}

export function validateCondition(condition: DeepReadonly<Condition>, path: FieldPath): FieldErrorList {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition
  const errors = validateLabelName(type, path.child('type'))
  const statuses = ['False', 'True', 'Unknown']
  if (!statuses.includes(status)) errors.push(fieldError.notSupported(path.child('status'), status, statuses))
  if (observedGeneration < 0) {
    errors.push(fieldError.invalid(path.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero'))
  }
  if (!lastTransitionTime) errors.push(fieldError.required(path.child('lastTransitionTime')))
  const reasonPath = path.child('reason')
  if (reason === '') errors.push(fieldError.required(reasonPath))
  else if (!reasonPattern.test(reason)) errors.push(fieldError.invalid(reasonPath, reason, reasonMessage))
  if (measureUtf8Bytes(reason) > maxReasonLength) errors.push(fieldError.tooLong(reasonPath, maxReasonLength))
  if (measureUtf8Bytes(message) > maxMessageLength) errors.push(fieldError.tooLong(path.child('message'), maxMessageLength))
  return errors
}
