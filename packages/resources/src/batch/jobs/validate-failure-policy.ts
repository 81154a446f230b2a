import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from '@keelson/api/batch/v1'
import { fieldError, quote, repeatCheck } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { printList, validateQualifiedName } from '@keelson/resources-core'

type ReadonlySpec = DeepReadonly<JobSpec>

const maxRules = 20
const maxValues = 255
const maxPatterns = 20
const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore']
const operators = ['In', 'NotIn']
const statuses = ['False', 'True', 'Unknown']

/** Validates the rules that map pod failures to actions. */
export function validateFailurePolicy(spec: ReadonlySpec, path: FieldPath): FieldErrorList {
  const rules = spec.podFailurePolicy?.rules ?? []
  const rulesPath = path.child('rules')
  const { containers, initContainers } = spec.template?.spec ?? {}
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name))
  return [
    ...(rules.length > maxRules ? [fieldError.tooMany(rulesPath, rules.length, maxRules)] : []),
    ...rules.flatMap((rule, i) =>
      validateRule(rule, rulesPath.index(i), { names, hasBackoffLimitPerIndex: spec.backoffLimitPerIndex !== undefined }),
    ),
  ]
}

interface RuleContext {
  /** Names of all containers and init containers in the template. */
  readonly names: ReadonlySet<string>
  readonly hasBackoffLimitPerIndex: boolean
}

function validateRule(
  rule: DeepReadonly<PodFailurePolicyRule>,
  path: FieldPath,
  { names, hasBackoffLimitPerIndex }: RuleContext,
): FieldErrorList {
  const { action = '', onExitCodes, onPodConditions = [] } = rule
  const actionPath = path.child('action')
  const errors =
    action === 'FailIndex' && !hasBackoffLimitPerIndex
      ? [fieldError.invalid(actionPath, action, 'requires the backoffLimitPerIndex to be set')]
      : validateOneOf(action, actions, actionPath)
  if (onExitCodes !== undefined) errors.push(...validateExitCodes(onExitCodes, path.child('onExitCodes'), names))
  if (onPodConditions.length > 0) errors.push(...validateConditions(onPodConditions, path.child('onPodConditions')))
  if (onExitCodes !== undefined && onPodConditions.length > 0) {
    errors.push(fieldError.invalid(path, undefined, 'specifying both OnExitCodes and OnPodConditions is not supported'))
  }
  if (onExitCodes === undefined && onPodConditions.length === 0) {
    errors.push(fieldError.invalid(path, undefined, 'specifying one of OnExitCodes and OnPodConditions is required'))
  }
  return errors
}

function validateOneOf(value: string, supported: readonly string[], path: FieldPath): FieldErrorList {
  if (value === '') return [fieldError.required(path, `valid values: [${supported.map(quote).join(' ')}]`)]
  return supported.includes(value) ? [] : [fieldError.notSupported(path, value, supported)]
}

function validateConditions(patterns: readonly DeepReadonly<PodFailurePolicyOnPodConditionsPattern>[], path: FieldPath): FieldErrorList {
  return [
    ...(patterns.length > maxPatterns ? [fieldError.tooMany(path, patterns.length, maxPatterns)] : []),
    ...patterns.flatMap(({ type = '', status = '' }, i) => [
      ...validateQualifiedName(type, path.index(i).child('type')),
      ...validateOneOf(status, statuses, path.index(i).child('status')),
    ]),
  ]
}

function validateExitCodes(
  requirement: DeepReadonly<PodFailurePolicyOnExitCodesRequirement>,
  path: FieldPath,
  names: ReadonlySet<string>,
): FieldErrorList {
  const { operator = '', containerName, values } = requirement
  const errors = validateOneOf(operator, operators, path.child('operator'))
  if (containerName !== undefined && !names.has(containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template'
    errors.push(fieldError.invalid(path.child('containerName'), containerName, detail))
  }
  const codes = values ?? []
  const at = path.child('values')
  if (codes.length === 0) errors.push(fieldError.invalid(at, printList(requirement, 'values'), 'at least one value is required'))
  else if (codes.length > maxValues) errors.push(fieldError.tooMany(at, codes.length, maxValues))
  const isRepeated = repeatCheck<number>()
  for (const [i, code] of codes.entries()) {
    if (operator === 'In' && code === 0) errors.push(fieldError.invalid(at.index(i), code, 'must not be 0 for the In operator'))
    if (isRepeated(code)) errors.push(fieldError.duplicate(at.index(i), code))
  }
  if (codes.some((code, i) => i > 0 && codes[i - 1]! > code)) errors.push(fieldError.invalid(at, codes, 'must be ordered'))
  return errors
}
