import { formatDuration } from '@keelson/apimachinery'
import { readObject } from '../typed-configuration.ts'

/** Configuration of the plugin ImagePolicyWebhook. Times are in milliseconds. */
export interface ImagePolicyConfiguration {
  readonly kubeconfigFile: string
  /** Time for which decisions to allow are cached. 0 disables caching. */
  readonly allowTtlMs: number
  readonly denyTtlMs: number
  /** Pause before the second attempt. */
  readonly retryBackoffMs: number
  /** Whether pods are admitted if the webhook fails. */
  readonly defaultAllow: boolean
}

type Members = Readonly<Record<string, unknown>>

/** Parses the configuration of the plugin ImagePolicyWebhook, which is required. Throws an error that explains the first problem. */
export function readImagePolicyConfiguration(value: unknown): ImagePolicyConfiguration {
  if (value === undefined) throw new Error('no config specified')
  const members = readObject(readObject(value, 'the configuration')['imagePolicy'] ?? {}, 'imagePolicy')
  const { kubeConfigFile = '', defaultAllow = false } = members
  if (typeof kubeConfigFile !== 'string') throw new Error('imagePolicy.kubeConfigFile must be a string')
  if (typeof defaultAllow !== 'boolean') throw new Error('imagePolicy.defaultAllow must be true or false')
  const retryBackoffMs = readTime(members, 'retryBackoff', { unit: 1, default: 500, min: 1e-6, max: 5 * 60_000 })
  const allowTtlMs = readTime(members, 'allowTTL', { unit: 1000, default: 5 * 60_000, ...ttlRange })
  const denyTtlMs = readTime(members, 'denyTTL', { unit: 1000, default: 30_000, ...ttlRange })
  if (kubeConfigFile === '')
    throw new Error('invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable')
  return { kubeconfigFile: kubeConfigFile, allowTtlMs, denyTtlMs, retryBackoffMs, defaultAllow }
}

/** Unit of a member, and its default and range, all in milliseconds. */
interface TimeRule {
  readonly unit: number
  readonly default: number
  readonly min: number
  readonly max: number
}

const ttlRange = { min: 1000, max: 30 * 60_000 }

/** Reads an integer. 0 means the default, and -1 disables the feature. */
function readTime(members: Members, name: string, rule: TimeRule): number {
  const value = members[name] ?? 0
  if (!Number.isSafeInteger(value)) throw new Error(`imagePolicy.${name} must be an integer`)
  if (value === 0) return rule.default
  if (value === -1) return 0
  const time = (value as number) * rule.unit
  if (time >= rule.min && time <= rule.max) return time
  throw new Error(`valid value is between ${format(rule.min)} and ${format(rule.max)}, got ${format(time)}`)
}

function format(milliseconds: number): string {
  return formatDuration(BigInt(Math.round(milliseconds * 1e6)))
}
