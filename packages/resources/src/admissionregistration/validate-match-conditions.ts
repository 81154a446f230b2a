import type { MatchCondition } from '@keelson/api/admissionregistration/v1'
import { fieldError, repeatCheck } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { ValidationSteps } from '@keelson/registry'
import { validateQualifiedName } from '@keelson/resources-core'
import { validateAdmissionExpression } from '../expressions/validate-expression.ts'

const maxConditions = 64

export interface ConditionRules {
  readonly hasParams: boolean
  readonly steps: ValidationSteps | undefined
}

export function validateMatchConditions(
  conditions: readonly DeepReadonly<MatchCondition>[],
  { hasParams, steps }: ConditionRules,
  path: FieldPath,
): FieldErrorList {
  const isRepeated = repeatCheck<string>()
  const errors: FieldErrorList = conditions.length > maxConditions ? [fieldError.tooMany(path, conditions.length, maxConditions)] : []
  for (const [i, { name, expression: text }] of conditions.entries()) {
    const at = path.index(i)
    const expression = text.trim()
    const expressionPath = at.child('expression')
    const scope = { hasParams, hasAuthorizer: true }
    if (expression === '') errors.push(fieldError.required(expressionPath))
    else errors.push(...validateAdmissionExpression({ expression, purpose: 'condition', scope, steps }, expressionPath))
    if (name === '') errors.push(fieldError.required(at.child('name')))
    else errors.push(...validateQualifiedName(name, at.child('name')))
    if (name !== '' && isRepeated(name)) errors.push(fieldError.duplicate(at.child('name'), name))
  }
  return errors
}
