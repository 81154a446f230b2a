import { aggregateFieldErrors, fieldError, newFieldPath } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { readStringMember } from '../strict-members.ts'
import { readInt32Member, readListMember, readObject, readTypedConfiguration } from '../typed-configuration.ts'

export const limitTypes = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const
export type LimitType = (typeof limitTypes)[number]

/** A limit of events. Each key of its type has its own bucket with `burst` tokens, to which `qps` tokens are added each second. */
export interface EventLimit {
  readonly type: LimitType
  readonly qps: number
  readonly burst: number
  /** Number of keys whose buckets are kept. 0 means the default. Not used for the type Server. */
  readonly cacheSize: number
}

/** Parses the configuration of the plugin EventRateLimit, which needs at least one limit. Throws an error that lists all problems. */
export function readEventRateLimits(value: unknown): readonly EventLimit[] {
  const members = readTypedConfiguration(value, { 'eventratelimit.admission.k8s.io/v1alpha1': 'Configuration' })
  const limits = readListMember(members, 'limits', '').map((item, i) => {
    const path = `limits[${i}]`
    const limit = readObject(item, path)
    const [qps, burst, cacheSize] = ['qps', 'burst', 'cacheSize'].map((name) => readInt32Member(limit, name, path))
    return { type: readStringMember(limit, 'type', path) as LimitType, qps: qps!, burst: burst!, cacheSize: cacheSize! }
  })
  const errors = findErrors(limits)
  if (limits.length === 0) errors.push(fieldError.invalid(newFieldPath('limits'), members['limits'] ?? null, 'must not be empty'))
  if (errors.length > 0) throw new Error(aggregateFieldErrors(errors))
  return limits
}

function findErrors(limits: readonly EventLimit[]): FieldErrorList {
  const errors: FieldErrorList = []
  for (const [i, { type, qps, burst, cacheSize }] of limits.entries()) {
    const path = newFieldPath('limits').index(i)
    if (!limitTypes.includes(type)) errors.push(fieldError.notSupported(path.child('type'), type, limitTypes))
    if (burst <= 0) errors.push(fieldError.invalid(path.child('burst'), burst, 'must be positive'))
    if (qps <= 0) errors.push(fieldError.invalid(path.child('qps'), qps, 'must be positive'))
    if (type !== 'Server' && cacheSize < 0) errors.push(fieldError.invalid(path.child('cacheSize'), cacheSize, 'must not be negative'))
  }
  return errors
}
