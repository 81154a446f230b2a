import type { Container, EphemeralContainer, PodSpec } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Level } from './policy.ts'

/** The pod, or the pod that a controller would make. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: DeepReadonly<PodSpec>
  /** Init containers, containers, ephemeral containers. */
  readonly containers: readonly CheckedContainer[]
}
export type CheckedContainer = DeepReadonly<Container | EphemeralContainer>

/** What is not allowed, in a few words, and what about this pod is not. */
export interface Violation {
  readonly reason: string
  readonly detail: string
}

/** undefined: allowed. */
export type CheckPod = (pod: CheckedPod) => Violation | undefined

export interface Check {
  readonly id: string
  readonly level: Exclude<Level, 'privileged'>
  /** Each from a minor version of the policies on, until the next. Ascending. */
  readonly versions: readonly { readonly from: number; readonly check: CheckPod }[]
  /** Checks of the baseline that this one makes needless. */
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
