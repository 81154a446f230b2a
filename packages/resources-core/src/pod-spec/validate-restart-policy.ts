import type { ContainerRestartRule } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateItems, validateRequiredOneOf, validateSupported } from './field-rules.ts'
import type { ReadonlyContainer } from './visit-containers.ts'

const policies = ['Always', 'Never', 'OnFailure']
const actions = ['Restart', 'RestartAllContainers']
const operators = ['In', 'NotIn']
const maxRules = 20
const maxExitCodes = 255

/** Validates the restart policy of a container. It overrides the restart policy of the pod. */
export function validateContainerRestartPolicy(container: ReadonlyContainer, path: FieldPath): FieldErrorList {
  const { restartPolicy, restartPolicyRules: rules = [] } = container
  if (restartPolicy === undefined && rules.length === 0) return []
  const at = path.child('restartPolicy')
  const errors: FieldErrorList =
    restartPolicy === undefined
      ? [fieldError.required(at, 'must specify restartPolicy when restart rules are used')]
      : validateSupported(restartPolicy, policies, at)
  const rulesPath = path.child('restartPolicyRules')
  if (rules.length > maxRules) errors.push(fieldError.tooMany(rulesPath, rules.length, maxRules))
  return [...errors, ...rules.flatMap((rule, i) => validateRule(rule, rulesPath.index(i)))]
}

function validateRule({ action, exitCodes }: DeepReadonly<ContainerRestartRule>, path: FieldPath): FieldErrorList {
  const errors = validateSupported(action ?? '', actions, path.child('action'))
  const at = path.child('exitCodes')
  if (exitCodes === undefined) return [...errors, fieldError.required(at, 'must be specified')]
  errors.push(...validateSupported(exitCodes.operator ?? '', operators, at.child('operator')))
  const count = (exitCodes.values ?? []).length
  if (count > maxExitCodes) errors.push(fieldError.tooMany(at.child('values'), count, maxExitCodes))
  return errors
}

/** Validates the restart policy of an init container. If it has restart rules but no policy, only the missing policy is reported. */
export function validateInitRestartPolicy(container: ReadonlyContainer, path: FieldPath): FieldErrorList {
  if (container.restartPolicy !== undefined) return validateContainerRestartPolicy(container, path)
  if ((container.restartPolicyRules ?? []).length === 0) return []
  return [fieldError.required(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used')]
}

const resizable = ['cpu', 'memory']
const resizePolicies = ['NotRequired', 'RestartContainer']

export function validateResizePolicy(
  { resizePolicy }: ReadonlyContainer,
  podRestartPolicy: string | undefined,
  containerPath: FieldPath,
): FieldErrorList {
  if (resizePolicy === undefined) return []
  const path = containerPath.child('resizePolicy')
  const visited = new Set<string>()
  return validateItems(resizePolicy, path, ({ resourceName = '', restartPolicy = '' }, at) => {
    const errors: FieldErrorList = visited.has(resourceName) ? [fieldError.duplicate(at, resourceName)] : []
    visited.add(resourceName)
    errors.push(...validateRequiredOneOf(resourceName, resizable, path), ...validateRequiredOneOf(restartPolicy, resizePolicies, path))
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      errors.push(fieldError.invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"))
    }
    return errors
  })
}
