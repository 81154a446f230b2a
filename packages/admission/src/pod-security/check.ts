import type { Container, EphemeralContainer, PodSpec } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Level } from './policy.ts'

/** A pod, or the pod template of a controller. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: DeepReadonly<PodSpec>
  /** Init containers, containers and ephemeral containers. */
  readonly containers: readonly CheckedContainer[]
}
export type CheckedContainer = DeepReadonly<Container | EphemeralContainer>

/** A short reason, and the pod's details that violate the check. */
export interface Violation {
  readonly reason: string
  readonly detail: string
}

/** Returns undefined if the pod is allowed. */
export type CheckPod = (pod: CheckedPod) => Violation | undefined

export interface Check {
  readonly id: string
  readonly level: Exclude<Level, 'privileged'>
  /** Each entry applies from a minor version of the standards until the next. Ascending. */
  readonly versions: readonly { readonly from: number; readonly check: CheckPod }[]
  /** Baseline checks that this check replaces. */
  readonly overrides?: readonly string[]
}

export function checkedPod(annotations: Readonly<Record<string, string>> | undefined, spec: DeepReadonly<PodSpec> | undefined): CheckedPod {
  const given: DeepReadonly<PodSpec> = spec ?? { containers: null }
  return {
    annotations: annotations ?? {},
    spec: given,
    containers: [...(given.initContainers ?? []), ...(given.containers ?? []), ...(given.ephemeralContainers ?? [])],
  }
}
