import type { MutatingAdmissionPolicy, Mutation } from '@keelson/api/admissionregistration/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { AdmissionScope } from '@keelson/cel'
import type { ValidationSteps } from '@keelson/registry'
import { validateRequiredOneOf } from '@keelson/resources-core'
import { validateAdmissionExpression } from '../../expressions/validate-expression.ts'
import { validateMutatedOperations } from '../match-resources.ts'
import { reinvocationPolicies } from '../policies.ts'
import { specPath, validatePolicy } from '../policy-spec.ts'

type ReadonlyPolicy = DeepReadonly<MutatingAdmissionPolicy>

/** Name of the field with the patch for each patch type. */
const fieldOfPatchType = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const

export function validateMutatingPolicy(
  { spec = {} }: ReadonlyPolicy,
  { old, steps }: { readonly old?: ReadonlyPolicy; readonly steps?: ValidationSteps | undefined } = {},
): FieldErrorList {
  const { mutations = [], reinvocationPolicy, matchConstraints } = spec
  const path = specPath.child('mutations')
  const { errors, scope } = validatePolicy(spec, { old: old?.spec, alwaysHasVariables: true, steps })
  return [
    ...errors,
    ...validateMutatedOperations(matchConstraints, specPath.child('matchConstraints')),
    ...(mutations.length === 0 ? [fieldError.required(path, 'mutations must contain at least one item')] : []),
    ...mutations.flatMap((mutation, i) => validateMutation(mutation, { scope, steps }, path.index(i))),
    ...validateRequiredOneOf(reinvocationPolicy, reinvocationPolicies, specPath.child('reinvocationPolicy')),
  ]
}

interface ExpressionRules {
  readonly scope: AdmissionScope
  readonly steps: ValidationSteps | undefined
}

function validateMutation(mutation: DeepReadonly<Mutation>, rules: ExpressionRules, path: FieldPath): FieldErrorList {
  const { patchType } = mutation
  if (!Object.hasOwn(fieldOfPatchType, patchType))
    return validateRequiredOneOf(patchType, Object.keys(fieldOfPatchType), path.child('patchType'))
  const member = fieldOfPatchType[patchType as keyof typeof fieldOfPatchType]
  const other = member === 'jsonPatch' ? 'applyConfiguration' : 'jsonPatch'
  const patch = mutation[member]
  const hasOther = mutation[other] !== undefined
  return [
    ...(patch === undefined
      ? [fieldError.required(path.child(member), `must be specified when patchType is ${patchType}`)]
      : validatePatch(patch.expression ?? '', { purpose: member, ...rules }, path.child(member, 'expression'))),
    ...(hasOther ? [fieldError.invalid(path.child(other), `{${other}}`, `must not be specified when patchType is ${patchType}`)] : []),
  ]
}

interface PatchRules extends ExpressionRules {
  readonly purpose: 'applyConfiguration' | 'jsonPatch'
}

function validatePatch(text: string, { purpose, scope, steps }: PatchRules, path: FieldPath): FieldErrorList {
  const expression = text.trim()
  if (expression === '') return [fieldError.required(path)]
  return validateAdmissionExpression({ expression, purpose, scope: { ...scope, hasPatches: true }, steps }, path)
}
