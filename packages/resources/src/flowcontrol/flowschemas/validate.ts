import type { FlowSchema, FlowSchemaSpec } from '@keelson/api/flowcontrol/v1'
import { fieldError, newFieldPath, nameIsDNSSubdomain, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { createInvalidErrors } from '@keelson/resources-core'
import { mandatoryFlowSchemas } from '../mandatory.ts'
import { validateStatus } from '../status.ts'
import { validateRules } from './validate-rules.ts'

const specPath = newFieldPath('spec')
const precedencePath = specPath.child('matchingPrecedence')
const maxPrecedence = 10_000
const methods = ['ByNamespace', 'ByUser']
const emptySpec: FlowSchemaSpec = { priorityLevelConfiguration: { name: '' }, matchingPrecedence: 0 }

export function validateFlowSchema(schema: DeepReadonly<FlowSchema>): FieldErrorList {
  const { metadata, spec = emptySpec } = schema
  const errors = validateSpec(spec, metadata.name ?? '')
  const mandatorySpec = mandatoryFlowSchemas.get(metadata.name ?? '')
  if (mandatorySpec !== undefined && !equalsSemantically(spec, mandatorySpec)) {
    errors.push(fieldError.invalid(specPath, spec, `spec of '${metadata.name}' must equal the fixed value`))
  }
  return [...errors, ...validateStatus(schema)]
}

function validateSpec(spec: DeepReadonly<FlowSchemaSpec>, name: string): FieldErrorList {
  const { matchingPrecedence: precedence, distinguisherMethod, priorityLevelConfiguration: level, rules = [] } = spec
  const errors: FieldErrorList = []
  const refuse = (detail: string): void => void errors.push(fieldError.invalid(precedencePath, precedence, detail))
  if (precedence <= 0) refuse('must be a positive value')
  if (precedence > maxPrecedence) refuse(`must not be greater than ${maxPrecedence}`)
  if (precedence === 1 && name !== 'exempt') refuse("only the schema named 'exempt' may have matchingPrecedence 1")
  if (distinguisherMethod !== undefined && !methods.includes(distinguisherMethod.type)) {
    const path = specPath.child('distinguisherMethod', 'type')
    errors.push(fieldError.notSupported(path, { Type: distinguisherMethod.type }, methods))
  }
  const levelPath = specPath.child('priorityLevelConfiguration', 'name')
  if (level.name === '') errors.push(fieldError.required(levelPath, 'must reference a priority level'))
  else errors.push(...createInvalidErrors(nameIsDNSSubdomain(level.name, false), level.name, levelPath))
  return [...errors, ...validateRules(rules, specPath.child('rules'))]
}
