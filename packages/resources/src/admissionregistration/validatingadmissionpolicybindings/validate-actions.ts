import { fieldError, repeatCheck } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'

const knownActions = ['Audit', 'Deny', 'Warn']
const denyAndWarnMessage =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'

/** Validates the actions taken when a request fails the policy. */
export function validateActions(actions: readonly string[], path: FieldPath): FieldErrorList {
  if (actions.length === 0) return [fieldError.required(path, 'at least one validation action is required')]
  const errors: FieldErrorList = []
  const isRepeated = repeatCheck<string>()
  for (const [i, action] of actions.entries()) {
    if (!knownActions.includes(action)) errors.push(fieldError.notSupported(path.index(i), action, knownActions))
    if (isRepeated(action)) errors.push(fieldError.duplicate(path.index(i), action))
  }
  if (actions.includes('Deny') && actions.includes('Warn')) errors.push(fieldError.invalid(path, actions, denyAndWarnMessage))
  return errors
}
