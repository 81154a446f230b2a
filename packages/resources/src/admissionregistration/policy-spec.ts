import type { MatchCondition, MatchResources, ParamKind, Variable } from '@keelson/api/admissionregistration/v1'
import { fieldError, fieldPath, semanticEqual } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateSupported } from '@keelson/resources-core'
import { isExpressionName } from '../expressions/names.ts'
import { validateExpression } from '../expressions/validate-expression.ts'
import { validateMatchConstraints, validateParamKind } from './match-resources.ts'
import { failurePolicies } from './policies.ts'
import { admissionVariables, storedExpressions, validateMatchConditions } from './validate-match-conditions.ts'

/** What policies that validate and policies that mutate have in common. */
export interface PolicySpec {
  paramKind?: ParamKind
  matchConstraints?: MatchResources
  failurePolicy?: string
  matchConditions?: MatchCondition[]
  variables?: Variable[]
}

export const specPath: FieldPath = fieldPath('spec')

export function validatePolicy(spec: DeepReadonly<PolicySpec>, old?: DeepReadonly<PolicySpec>): FieldErrorList {
  const { failurePolicy, paramKind, matchConstraints, matchConditions = [], variables = [] } = spec
  const failurePath = specPath.child('failurePolicy')
  const hasParams = paramKind !== undefined
  const sameConditions =
    old !== undefined && semanticEqual(paramKind, old.paramKind) && semanticEqual(matchConditions, old.matchConditions ?? [])
  const rules = { hasParams, stored: storedExpressions(old?.matchConditions ?? []) }
  return [
    ...(failurePolicy === undefined ? [fieldError.required(failurePath)] : validateSupported(failurePolicy, failurePolicies, failurePath)),
    ...(paramKind === undefined ? [] : validateParamKind(paramKind, specPath.child('paramKind'))),
    ...validateMatchConstraints(matchConstraints, specPath.child('matchConstraints')),
    ...(sameConditions ? [] : validateMatchConditions(matchConditions, rules, specPath.child('matchConditions'))),
    ...variables.flatMap((variable, i) => validateVariable(variable, { hasParams, old }, specPath.child('variables').index(i))),
  ]
}

interface VariableRules {
  readonly hasParams: boolean
  readonly old: DeepReadonly<PolicySpec> | undefined
}

function validateVariable(
  { name, expression }: DeepReadonly<Variable>,
  { hasParams, old }: VariableRules,
  path: FieldPath,
): FieldErrorList {
  const namePath = path.child('name')
  const errors: FieldErrorList = []
  if (name.trim() === '') errors.push(fieldError.required(namePath, 'name is not specified'))
  else if (!isExpressionName(name)) errors.push(fieldError.invalid(namePath, name, 'must be a valid CEL identifier'))
  const expressionPath = path.child('expression')
  if (expression.trim() === '') return [...errors, fieldError.required(expressionPath, 'expression is not specified')]
  const stored = new Set((old?.variables ?? []).map((variable) => variable.expression))
  const variables = admissionVariables({ hasParams, hasVariables: true })
  return [...errors, ...validateExpression(expression, { variables, stored }, expressionPath)]
}
