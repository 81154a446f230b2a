import { checks } from './checks/index.ts'
import type { CheckedPod, CheckPod, Violation } from './check.ts'
import { parseMinorVersion } from './policy.ts'
import type { LevelVersion } from './policy.ts'
import type { Container, EphemeralContainer } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

/** Newest minor version in which a check changed. */
const newest = Math.max(...checks.flatMap(({ versions }) => versions.map(({ from }) => from)))
const chosen = new Map<string, readonly CheckPod[]>()

/** Returns the violations of a level by a pod. */
export function evaluatePod(policy: LevelVersion, pod: CheckedPod): readonly Violation[] {
  if (policy.level === 'privileged') return []
  return listChecks(policy).flatMap((check) => check(pod) ?? [])
}

/** Formats the reasons of violations, as in `host ports, privileged`. */
export function formatViolationReasons(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(', ')
}

/** Formats violations with their details, as in `hostPort (container "a" uses hostPort 80), privileged (…)`. */
export function formatViolationDetails(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ')
}

/** Returns the checks of a level. The restricted level includes the baseline checks, except those that stricter ones replace. */
function listChecks({ level, version }: LevelVersion): readonly CheckPod[] {
  const minor = Math.min(parseMinorVersion(version), newest)
  const key = `${level}:${minor}`
  let result = chosen.get(key)
  if (result !== undefined) return result
  const inForce = checks.flatMap(({ id, level: of, versions, overrides = [] }) => {
    const current = level === 'restricted' || of === 'baseline' ? versions.findLast(({ from }) => from <= minor) : undefined
    return current === undefined ? [] : [{ id, overrides, check: current.check }]
  })
  const overridden = new Set(inForce.flatMap(({ overrides }) => overrides))
  result = inForce.filter(({ id }) => !overridden.has(id)).map(({ check }) => check)
  chosen.set(key, result)
  return result
}

type Containers = readonly DeepReadonly<Container | EphemeralContainer>[] | null | undefined

/** Returns whether an update must be evaluated again: an image has changed, or a container was added. */
export function isSignificantUpdate({ spec }: CheckedPod, { spec: old }: CheckedPod): boolean {
  if (haveChangedImages(spec.containers, old.containers) || haveChangedImages(spec.initContainers, old.initContainers)) return true
  const before = new Map((old.ephemeralContainers ?? []).map(({ name, image }) => [name, image ?? '']))
  return (spec.ephemeralContainers ?? []).some(({ name, image }) => before.get(name) !== (image ?? ''))
}

function haveChangedImages(containers: Containers, old: Containers): boolean {
  const now = containers ?? []
  const oldContainers = old ?? []
  return now.length !== oldContainers.length || now.some(({ image }, i) => (image ?? '') !== (oldContainers[i]!.image ?? ''))
}
