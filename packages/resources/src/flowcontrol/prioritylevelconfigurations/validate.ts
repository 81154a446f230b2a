import type {
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '@keelson/api/flowcontrol/v1'
import { fieldError, newFieldPath, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { mandatoryPriorityLevels } from '../mandatory.ts'
import { validateStatus } from '../status.ts'

type ReadonlySpec = DeepReadonly<PriorityLevelConfigurationSpec>

const specPath = newFieldPath('spec')
/** Annotation for zero shares, which the schema of v1beta3 cannot express. Reserved for older servers. */
const reservedAnnotation = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares'
const nonNegativeMessage = 'must be a non-negative integer'

export function validatePriorityLevel(level: DeepReadonly<PriorityLevelConfiguration>): FieldErrorList {
  const { metadata, spec = { type: '' } } = level
  const { name = '', annotations } = metadata
  const errors: FieldErrorList = []
  if (annotations?.[reservedAnnotation] !== undefined) {
    errors.push(fieldError.forbidden(newFieldPath('metadata', 'annotations'), `annotation '${reservedAnnotation}' is forbidden`))
  }
  if ((name === 'exempt') !== (spec.type === 'Exempt')) {
    errors.push(fieldError.invalid(specPath.child('type'), spec.type, "must be 'Exempt' if and only if `name` is 'exempt'"))
  }
  return [...errors, ...validateSpec(spec), ...validateMandatory(name, spec), ...validateStatus(level)]
}

function validateSpec({ type, limited, exempt }: ReadonlySpec): FieldErrorList {
  const limitedPath = specPath.child('limited')
  const exemptPath = specPath.child('exempt')
  switch (type) {
    case 'Exempt':
      return [
        ...(limited === undefined ? [] : [fieldError.forbidden(limitedPath, 'must be nil if the type is not Limited')]),
        ...(exempt === undefined ? [] : validateShares(exempt, exemptPath)),
        ...validatePercent(exempt?.lendablePercent, exemptPath.child('lendablePercent')),
      ]
    case 'Limited':
      return [
        ...(exempt === undefined ? [] : [fieldError.forbidden(exemptPath, 'must be nil if the type is Limited')]),
        ...(limited === undefined
          ? [fieldError.required(limitedPath, 'must not be empty when type is Limited')]
          : validateLimited(limited)),
      ]
    case '':
      return [fieldError.required(specPath.child('type'))]
    default:
      return [fieldError.notSupported(specPath.child('type'), type, ['Exempt', 'Limited'])]
  }
}

function validateLimited(limited: NonNullable<ReadonlySpec['limited']>): FieldErrorList {
  const path = specPath.child('limited')
  const { limitResponse = { type: '' }, lendablePercent, borrowingLimitPercent: borrowed = 0 } = limited
  const detail = `if specified, ${nonNegativeMessage}`
  return [
    ...validateShares(limited, path),
    ...validateResponse(limitResponse, path.child('limitResponse')),
    ...validatePercent(lendablePercent, path.child('lendablePercent')),
    ...(borrowed < 0 ? [fieldError.invalid(path.child('borrowingLimitPercent'), borrowed, detail)] : []),
  ]
}

function validateResponse({ type, queuing }: DeepReadonly<LimitResponse>, path: FieldPath): FieldErrorList {
  const queuingPath = path.child('queuing')
  switch (type) {
    case 'Reject':
      if (queuing === undefined) return []
      return [fieldError.forbidden(queuingPath, 'must be nil if limited.limitResponse.type is not Limited')]
    case 'Queue':
      if (queuing !== undefined) return validateQueuing(queuing, queuingPath)
      return [fieldError.required(queuingPath, 'must not be empty if limited.limitResponse.type is Limited')]
    case '':
      return [fieldError.required(path.child('type'))]
    default:
      return [fieldError.notSupported(path.child('type'), type, ['Queue', 'Reject'])]
  }
}

function validateShares({ nominalConcurrencyShares }: { nominalConcurrencyShares?: number | null }, path: FieldPath): FieldErrorList {
  const shares = nominalConcurrencyShares ?? 0
  return shares < 0 ? [fieldError.invalid(path.child('nominalConcurrencyShares'), shares, nonNegativeMessage)] : []
}

function validatePercent(percent: number | undefined, path: FieldPath): FieldErrorList {
  if (percent === undefined || (percent >= 0 && percent <= 100)) return []
  return [fieldError.invalid(path, percent, 'must be between 0 and 100, inclusive')]
}

function validateMandatory(name: string, spec: ReadonlySpec): FieldErrorList {
  const mandatorySpec = mandatoryPriorityLevels.get(name)
  if (mandatorySpec === undefined) return []
  const isExempt = name === 'exempt'
  const { exempt: _ignored, ...rest } = spec
  const comparedSpec = isExempt ? { ...rest, ...(mandatorySpec.exempt && { exempt: mandatorySpec.exempt }) } : spec
  if (equalsSemantically(comparedSpec, mandatorySpec)) return []
  const except = isExempt ? " except the 'spec.exempt' field" : ''
  return [fieldError.invalid(specPath, spec, `spec of '${name}'${except} must equal the fixed value`)]
}

const maxQueues = 10_000_000
/** Maximum bits for shuffle sharding, which uses a single 64-bit hash. */
const maxEntropyBits = 60

function validateQueuing(queuing: DeepReadonly<QueuingConfiguration>, path: FieldPath): FieldErrorList {
  const { queues, handSize, queueLengthLimit } = queuing
  const errors: FieldErrorList = []
  const refuse = (member: keyof QueuingConfiguration, detail: string): void =>
    void errors.push(fieldError.invalid(path.child(member), queuing[member], detail))
  if (queueLengthLimit <= 0) refuse('queueLengthLimit', 'must be positive')
  if (queues <= 0) refuse('queues', 'must be positive')
  else if (queues > maxQueues) refuse('queues', `must not be greater than ${maxQueues}`)
  if (handSize <= 0) refuse('handSize', 'must be positive')
  else if (handSize > queues) refuse('handSize', `should not be greater than queues (${queues})`)
  else if (Math.ceil(Math.log2(queues) * handSize) > maxEntropyBits) {
    refuse('handSize', `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxEntropyBits}`)
  }
  return errors
}
