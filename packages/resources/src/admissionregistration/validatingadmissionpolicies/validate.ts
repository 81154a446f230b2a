import type { AuditAnnotation, Validation, ValidatingAdmissionPolicy } from '@keelson/api/admissionregistration/v1'
import { measureUtf8Bytes, fieldError, repeatCheck } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateQualifiedName, validateSupported } from '@keelson/resources-core'
import type { AdmissionScope } from '@keelson/cel'
import type { ValidationSteps } from '@keelson/registry'
import { validateAdmissionExpression } from '../../expressions/validate-expression.ts'
import { specPath, validatePolicy } from '../policy-spec.ts'

type ReadonlyPolicy = DeepReadonly<ValidatingAdmissionPolicy>

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
const maxAnnotations = 20
const maxValueLength = 5 * 1024

export function validateValidatingPolicy(
  { metadata, spec = {} }: ReadonlyPolicy,
  { old, steps }: { readonly old?: ReadonlyPolicy; readonly steps?: ValidationSteps | undefined } = {},
): FieldErrorList {
  const { validations = [], auditAnnotations = [] } = spec
  const { errors, scope } = validatePolicy(spec, { old: old?.spec, alwaysHasVariables: false, steps })
  const rules = { scope, steps }
  const validationsPath = specPath.child('validations')
  const annotationsPath = specPath.child('auditAnnotations')
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item'
    return [...errors, fieldError.required(validationsPath, detail), fieldError.required(annotationsPath, detail)]
  }
  validations.forEach((validation, i) => errors.push(...validateValidation(validation, rules, validationsPath.index(i))))
  if (auditAnnotations.length > maxAnnotations) {
    errors.push(fieldError.invalid(annotationsPath, auditAnnotations, `must not have more than ${maxAnnotations} auditAnnotations`))
  }
  const isRepeated = repeatCheck<string>()
  for (const [i, annotation] of auditAnnotations.entries()) {
    const path = annotationsPath.index(i)
    errors.push(...validateAnnotation(annotation, metadata.name ?? '', { ...rules, path }))
    if (isRepeated(annotation.key)) errors.push(fieldError.duplicate(path.child('key'), annotation.key))
  }
  return errors
}

interface ExpressionRules {
  readonly scope: AdmissionScope
  readonly steps: ValidationSteps | undefined
}

function validateValidation(validation: DeepReadonly<Validation>, { scope, steps }: ExpressionRules, path: FieldPath): FieldErrorList {
  const { expression, message = '', messageExpression = '', reason } = validation
  const errors: FieldErrorList = []
  const expressionPath = path.child('expression')
  if (expression.trim() === '') errors.push(fieldError.required(expressionPath, 'expression is not specified'))
  else errors.push(...validateAdmissionExpression({ expression, purpose: 'condition', scope, steps }, expressionPath))
  const messagePath = path.child('messageExpression')
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(fieldError.invalid(messagePath, messageExpression, 'must be non-empty if specified'))
  } else if (messageExpression !== '') {
    const compiled = { expression: messageExpression, purpose: 'message', scope: { ...scope, hasAuthorizer: false }, steps } as const
    errors.push(...validateAdmissionExpression(compiled, messagePath))
  }
  const textPath = path.child('message')
  if (message !== '' && message.trim() === '') errors.push(fieldError.invalid(textPath, message, 'must be non-empty if specified'))
  else if (/[\n\r]/.test(message.trim())) errors.push(fieldError.invalid(textPath, message, 'must not contain line breaks'))
  return [...errors, ...validateSupported(reason, reasons, path.child('reason'))]
}

function validateAnnotation(
  annotation: DeepReadonly<AuditAnnotation>,
  name: string,
  { scope, steps, path }: ExpressionRules & { readonly path: FieldPath },
): FieldErrorList {
  const { key, valueExpression } = annotation
  const keyPath = path.child('key')
  const valuePath = path.child('valueExpression')
  const text = valueExpression.trim()
  const errors =
    name === ''
      ? [fieldError.invalid(keyPath, key, 'requires metadata.name be non-empty')]
      : validateQualifiedName(`${name}/${key}`, keyPath)
  if (text === '') return [...errors, fieldError.required(valuePath, 'valueExpression is not specified')]
  if (measureUtf8Bytes(text) > maxValueLength) {
    return [...errors, fieldError.required(valuePath, `must not exceed ${maxValueLength} bytes in length`)]
  }
  return [
    ...errors,
    ...validateAdmissionExpression({ expression: text, sent: valueExpression, purpose: 'annotation', scope, steps }, valuePath),
  ]
}
