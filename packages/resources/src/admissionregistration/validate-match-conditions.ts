import type { MatchCondition } from '@keelson/api/admissionregistration/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateQualifiedName } from '@keelson/resources-core'
import { validateExpression } from '../expressions/validate-expression.ts'

const maxConditions = 64

export interface ConditionRules {
  readonly hasParams: boolean
  /** What was stored before may be said again. */
  readonly stored: ReadonlySet<string>
}

export function storedExpressions(conditions: readonly DeepReadonly<MatchCondition>[]): ReadonlySet<string> {
  return new Set(conditions.map(({ expression }) => expression))
}

export function validateMatchConditions(
  conditions: readonly DeepReadonly<MatchCondition>[],
  { hasParams, stored }: ConditionRules,
  path: FieldPath,
): FieldErrorList {
  const names = conditions.map(({ name }) => name)
  const errors: FieldErrorList = conditions.length > maxConditions ? [fieldError.tooMany(path, conditions.length, maxConditions)] : []
  for (const [i, { name, expression }] of conditions.entries()) {
    const at = path.index(i)
    const text = expression.trim()
    if (text === '') errors.push(fieldError.required(at.child('expression')))
    else errors.push(...validateExpression(text, { variables: admissionVariables({ hasParams }), stored }, at.child('expression')))
    if (name === '') errors.push(fieldError.required(at.child('name')))
    else errors.push(...validateQualifiedName(name, at.child('name')))
    if (name !== '' && names.indexOf(name) < i) errors.push(fieldError.duplicate(at.child('name'), name))
  }
  return errors
}

export interface AdmissionExpression {
  readonly hasParams: boolean
  readonly hasAuthorizer?: boolean
  /** The variables of a policy. */
  readonly hasVariables?: boolean
  readonly isMutation?: boolean
}

/** What an expression about a request may speak of. */
export function admissionVariables({ hasParams, hasAuthorizer = true, hasVariables, isMutation }: AdmissionExpression): readonly string[] {
  return [
    'object',
    'oldObject',
    'request',
    'namespaceObject',
    ...(hasParams ? ['params'] : []),
    ...(hasAuthorizer ? ['authorizer'] : []),
    ...(hasVariables ? ['variables'] : []),
    ...(isMutation ? ['Object', 'JSONPatch', 'jsonpatch'] : []),
  ]
}
