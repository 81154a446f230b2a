import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'

const levels = ['privileged', 'baseline', 'restricted'] as const
export type Level = (typeof levels)[number]

export interface LevelVersion {
  readonly level: Level
  /** Version of the standards: "latest", or a version such as "v1.36". */
  readonly version: string
}
export interface Policy {
  readonly enforce: LevelVersion
  readonly audit: LevelVersion
  readonly warn: LevelVersion
}
export type Mode = keyof Policy

export const labelPrefix = 'pod-security.kubernetes.io/'
export const levelMessage: string = `must be one of ${levels.join(', ')}`
export const versionMessage = 'must be "latest" or "v1.x"'

const versionPattern = /^v1\.(0|[1-9][0-9]{0,18})$/
const largestMinor = 9223372036854775807n

export function isLevel(text: string): text is Level {
  return (levels as readonly string[]).includes(text)
}

export function isVersion(text: string): boolean {
  return text === 'latest' || BigInt(versionPattern.exec(text)?.[1] ?? largestMinor + 1n) <= largestMinor
}

/** Returns the minor version of a version. `latest` is greater than any other. */
export function parseMinorVersion(version: string): number {
  return version === 'latest' ? Number.POSITIVE_INFINITY : Number(version.slice('v1.'.length))
}

/** Formats a level and its version for messages. */
export function formatLevelVersion({ level, version }: LevelVersion): string {
  return `${level}:${version}`
}

export function isSameLevelVersion(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.version === b.version
}

/** Compares two levels. Returns a positive number if the first one is stricter. */
export function compareLevels(a: Level, b: Level): number {
  return levels.indexOf(a) - levels.indexOf(b)
}

export function isFullyPrivileged({ enforce, audit, warn }: Policy): boolean {
  return enforce.level === 'privileged' && audit.level === 'privileged' && warn.level === 'privileged'
}

export function areEquivalentPolicies(a: Policy, b: Policy): boolean {
  const isSameMode = (mode: Mode): boolean =>
    (a[mode].level === 'privileged' && b[mode].level === 'privileged') || isSameLevelVersion(a[mode], b[mode])
  return isSameMode('enforce') && isSameMode('audit') && isSameMode('warn')
}

/**
 * Applies the labels of a namespace to the default policy. Always returns a policy: if labels are invalid, `enforce` gets the strictest
 * level and the other modes the least strict one. A namespace that enforces a level also warns at that level, unless a label sets another.
 */
export function parsePolicy(
  labels: DeepReadonly<Record<string, string>> | undefined,
  defaults: Policy,
): { readonly policy: Policy; readonly errors: FieldErrorList } {
  const errors: FieldErrorList = []
  const read = (mode: Mode, fallback: Level): LevelVersion => ({
    level: readLevel(labels, mode, { absent: defaults[mode].level, wrong: fallback }, errors),
    version: readVersion(labels, mode, defaults[mode].version, errors),
  })
  const enforce = read('enforce', 'restricted')
  const audit = read('audit', 'privileged')
  let warn = read('warn', 'privileged')
  const enforced = labels?.[`${labelPrefix}enforce`]
  const followsEnforce = labels?.[`${labelPrefix}warn`] === undefined && enforced !== undefined && isLevel(enforced)
  if (followsEnforce && compareLevels(enforce.level, warn.level) > 0) {
    warn = { level: enforce.level, version: labels?.[`${labelPrefix}warn-version`] === undefined ? enforce.version : warn.version }
  }
  return { policy: { enforce, audit, warn }, errors }
}

type Labels = DeepReadonly<Record<string, string>> | undefined

function readLevel(labels: Labels, mode: Mode, otherwise: { absent: Level; wrong: Level }, errors: FieldErrorList): Level {
  const key = `${labelPrefix}${mode}`
  const text = labels?.[key]
  if (text === undefined) return otherwise.absent
  if (isLevel(text)) return text
  errors.push(fieldError.invalid(newFieldPath('metadata', 'labels').key(key), text, levelMessage))
  return otherwise.wrong
}

function readVersion(labels: Labels, mode: Mode, absent: string, errors: FieldErrorList): string {
  const key = `${labelPrefix}${mode}-version`
  const text = labels?.[key]
  if (text === undefined) return absent
  if (isVersion(text)) return text
  errors.push(fieldError.invalid(newFieldPath('metadata', 'labels').key(key), text, versionMessage))
  return 'latest'
}
