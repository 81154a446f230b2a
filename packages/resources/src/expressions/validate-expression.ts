import { fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { compileAdmission, compileDeviceSelector, isTooComplex, types } from '@keelson/cel'
import type { AdmissionPurpose, AdmissionScope, Type } from '@keelson/cel'
import type { ValidationSteps } from '@keelson/registry'

/** The result type and the errors of an expression. */
export interface ExpressionResult {
  readonly type: Type
  readonly errors: FieldErrorList
}

export interface AdmissionExpression {
  readonly expression: string
  /** The expression as the client sent it, for error messages. Default: `expression`. */
  readonly sent?: string
  readonly purpose: AdmissionPurpose
  readonly scope: AdmissionScope
  readonly steps?: ValidationSteps | undefined
}

/** Compiles an admission expression. If that fails, the result type is `dyn`. */
export function compileAdmissionExpression(
  { expression, sent = expression, purpose, scope, steps }: AdmissionExpression,
  path: FieldPath,
): ExpressionResult {
  const { type, problem } = runStep(steps, { type: types.dyn, problem: undefined }, () => {
    const { compiled, problem } = compileAdmission(expression, purpose, scope)
    return problem === undefined ? { type: compiled.type, problem } : { type: types.dyn, problem }
  })
  return { type, errors: problem === undefined ? [] : [fieldError.invalid(path, sent, problem)] }
}

export function validateAdmissionExpression(expression: AdmissionExpression, path: FieldPath): FieldErrorList {
  return compileAdmissionExpression(expression, path).errors
}

/** Validates a CEL expression that selects devices. */
export function validateDeviceSelector(expression: string, path: FieldPath, steps: ValidationSteps | undefined): FieldErrorList {
  const { problem, tooComplex } = runStep(steps, { problem: undefined, tooComplex: false }, () => {
    const compilation = compileDeviceSelector(expression)
    return { problem: compilation.problem, tooComplex: compilation.problem === undefined && isTooComplex(compilation) }
  })
  if (problem !== undefined) return [fieldError.invalid(path, expression, problem)]
  return tooComplex ? [fieldError.forbidden(path, 'too complex, exceeds cost limit')] : []
}

/** Runs a step. Returns `placeholder` if the step has to wait for a later slice. */
function runStep<T>(steps: ValidationSteps | undefined, placeholder: T, step: () => T): T {
  return steps === undefined ? step() : (steps.run(step) ?? placeholder)
}
