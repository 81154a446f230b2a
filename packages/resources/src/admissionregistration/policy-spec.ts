import type { MatchCondition, MatchResources, ParamKind, Variable } from '@keelson/api/admissionregistration/v1'
import { fieldError, newFieldPath, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { isIdentifier, toVariableType } from '@keelson/cel'
import type { AdmissionScope, Type } from '@keelson/cel'
import type { ValidationSteps } from '@keelson/registry'
import { validateSupported } from '@keelson/resources-core'
import { compileAdmissionExpression } from '../expressions/validate-expression.ts'
import { validateMatchConstraints, validateParamKind } from './match-resources.ts'
import { failurePolicies } from './policies.ts'
import { validateMatchConditions } from './validate-match-conditions.ts'

/** Spec fields that validating and mutating policies share. */
export interface PolicySpec {
  paramKind?: ParamKind
  matchConstraints?: MatchResources
  failurePolicy?: string
  matchConditions?: MatchCondition[]
  variables?: Variable[]
}

export const specPath: FieldPath = newFieldPath('spec')

/** The errors of the shared fields, and the CEL variables that later expressions of the policy can use. */
export interface PolicyResult {
  readonly errors: FieldErrorList
  readonly scope: AdmissionScope
}

interface PolicyRules {
  readonly old: DeepReadonly<PolicySpec> | undefined
  /** Whether the CEL variable `variables` is declared even if the policy defines none. */
  readonly alwaysHasVariables: boolean
  readonly steps: ValidationSteps | undefined
}

export function validatePolicy(spec: DeepReadonly<PolicySpec>, { old, alwaysHasVariables, steps }: PolicyRules): PolicyResult {
  const { failurePolicy, paramKind, matchConstraints, matchConditions = [], variables = [] } = spec
  const failurePath = specPath.child('failurePolicy')
  const hasParams = paramKind !== undefined
  const sameConditions =
    old !== undefined && equalsSemantically(paramKind, old.paramKind) && equalsSemantically(matchConditions, old.matchConditions ?? [])
  const types = new Map<string, Type>()
  const errors = [
    ...(failurePolicy === undefined ? [fieldError.required(failurePath)] : validateSupported(failurePolicy, failurePolicies, failurePath)),
    ...(paramKind === undefined ? [] : validateParamKind(paramKind, specPath.child('paramKind'))),
    ...validateMatchConstraints(matchConstraints, specPath.child('matchConstraints')),
    ...(sameConditions ? [] : validateMatchConditions(matchConditions, { hasParams, steps }, specPath.child('matchConditions'))),
    ...variables.flatMap((variable, i) => validateVariable(variable, { hasParams, types, steps }, specPath.child('variables').index(i))),
  ]
  const scope = { hasParams, hasAuthorizer: true }
  return { errors, scope: alwaysHasVariables || variables.length > 0 ? { ...scope, variables: types } : scope }
}

interface VariableRules {
  readonly hasParams: boolean
  /** Types of the preceding variables, which the expression can use. */
  readonly types: Map<string, Type>
  readonly steps: ValidationSteps | undefined
}

function validateVariable(
  { name, expression }: DeepReadonly<Variable>,
  { hasParams, types, steps }: VariableRules,
  path: FieldPath,
): FieldErrorList {
  const namePath = path.child('name')
  const errors: FieldErrorList = []
  if (name.trim() === '') errors.push(fieldError.required(namePath, 'name is not specified'))
  else if (!isIdentifier(name)) errors.push(fieldError.invalid(namePath, name, 'must be a valid CEL identifier'))
  const expressionPath = path.child('expression')
  if (expression.trim() === '') return [...errors, fieldError.required(expressionPath, 'expression is not specified')]
  const scope = { hasParams, hasAuthorizer: true, variables: types }
  const result = compileAdmissionExpression({ expression, purpose: 'variable', scope, steps }, expressionPath)
  types.set(name, toVariableType(result.type))
  return [...errors, ...result.errors]
}
