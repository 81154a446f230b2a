import type { MutatingAdmissionPolicy, Mutation } from '@keelson/api/admissionregistration/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateRequiredOneOf } from '@keelson/resources-core'
import { validateExpression } from '../../expressions/validate-expression.ts'
import type { ExpressionRules } from '../../expressions/validate-expression.ts'
import { validateMutatedOperations } from '../match-resources.ts'
import { reinvocationPolicies } from '../policies.ts'
import { specPath, validatePolicy } from '../policy-spec.ts'
import { admissionVariables } from '../validate-match-conditions.ts'

type ReadonlyPolicy = DeepReadonly<MutatingAdmissionPolicy>

/** By type of patch, the member that holds it. */
const members = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const

export function validateMutatingPolicy({ spec = {} }: ReadonlyPolicy, old?: ReadonlyPolicy): FieldErrorList {
  const { mutations = [], reinvocationPolicy, paramKind, matchConstraints } = spec
  const path = specPath.child('mutations')
  const before = (old?.spec?.mutations ?? []).flatMap(({ applyConfiguration, jsonPatch }) => [applyConfiguration, jsonPatch])
  const rules: ExpressionRules = {
    variables: admissionVariables({ hasParams: paramKind !== undefined, hasVariables: true, isMutation: true }),
    stored: new Set(before.map((patch) => patch?.expression ?? '')),
  }
  return [
    ...validatePolicy(spec, old?.spec),
    ...validateMutatedOperations(matchConstraints, specPath.child('matchConstraints')),
    ...(mutations.length === 0 ? [fieldError.required(path, 'mutations must contain at least one item')] : []),
    ...mutations.flatMap((mutation, i) => validateMutation(mutation, rules, path.index(i))),
    ...validateRequiredOneOf(reinvocationPolicy, reinvocationPolicies, specPath.child('reinvocationPolicy')),
  ]
}

function validateMutation(mutation: DeepReadonly<Mutation>, rules: ExpressionRules, path: FieldPath): FieldErrorList {
  const { patchType } = mutation
  if (!Object.hasOwn(members, patchType)) return validateRequiredOneOf(patchType, Object.keys(members), path.child('patchType'))
  const member = members[patchType as keyof typeof members]
  const other = member === 'jsonPatch' ? 'applyConfiguration' : 'jsonPatch'
  const patch = mutation[member]
  const misplaced = mutation[other] !== undefined
  return [
    ...(patch === undefined
      ? [fieldError.required(path.child(member), `must be specified when patchType is ${patchType}`)]
      : validatePatch(patch.expression ?? '', rules, path.child(member, 'expression'))),
    ...(misplaced ? [fieldError.invalid(path.child(other), `{${other}}`, `must not be specified when patchType is ${patchType}`)] : []),
  ]
}

function validatePatch(expression: string, rules: ExpressionRules, path: FieldPath): FieldErrorList {
  return expression.trim() === '' ? [fieldError.required(path)] : validateExpression(expression.trim(), rules, path)
}
