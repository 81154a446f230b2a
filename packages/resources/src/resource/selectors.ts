import type { DeviceSelector } from '@keelson/api/resource/v1'
import { measureUtf8Bytes, fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { ValidationSteps } from '@keelson/registry'
import { validateDeviceSelector } from '../expressions/validate-expression.ts'
import { validateList } from './lists.ts'

const maxSelectors = 32
const maxExpressionLength = 10 * 1024

type Selectors = readonly DeepReadonly<DeviceSelector>[] | undefined

export function validateSelectors(selectors: Selectors, path: FieldPath, steps: ValidationSteps | undefined): FieldErrorList {
  return validateList(selectors, maxSelectors, (selector, at) => validateSelector(selector, at, steps), path)
}

function validateSelector({ cel }: DeepReadonly<DeviceSelector>, path: FieldPath, steps: ValidationSteps | undefined): FieldErrorList {
  const at = path.child('cel')
  if (cel === undefined) return [fieldError.required(at)]
  const expressionPath = at.child('expression')
  if (measureUtf8Bytes(cel.expression) > maxExpressionLength) return [fieldError.tooLong(expressionPath, maxExpressionLength)]
  return validateDeviceSelector(cel.expression, expressionPath, steps)
}
