import type { Container, EphemeralContainer, PodSpec, PodTemplateSpec } from '@keelson/api/core/v1'
import type { DeepReadonly, GroupResource, KubeObject } from '@keelson/apimachinery'
import type { Level } from './policy.ts'

/** Pod or pod template that is checked. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: DeepReadonly<PodSpec>
  /** All containers: init containers, containers and ephemeral containers. */
  readonly containers: readonly CheckedContainer[]
}
export type CheckedContainer = DeepReadonly<Container | EphemeralContainer>

/** A violation of a check: a short reason, and details about the pod. */
export interface Violation {
  readonly reason: string
  readonly detail: string
}

/** Checks a pod. Returns undefined if the pod is allowed. */
export type CheckPod = (pod: CheckedPod) => Violation | undefined

export interface Check {
  readonly id: string
  readonly level: Exclude<Level, 'privileged'>
  /** Check functions by version of the standards, in ascending order. Each applies from a minor version until the next entry. */
  readonly versions: readonly { readonly from: number; readonly check: CheckPod }[]
  /** Ids of baseline checks that this check replaces. */
  readonly overrides?: readonly string[]
}

function createCheckedPod(annotations: Readonly<Record<string, string>> | undefined, spec: DeepReadonly<PodSpec> | undefined): CheckedPod {
  const podSpec: DeepReadonly<PodSpec> = spec ?? { containers: null }
  return {
    annotations: annotations ?? {},
    spec: podSpec,
    containers: [...(podSpec.initContainers ?? []), ...(podSpec.containers ?? []), ...(podSpec.ephemeralContainers ?? [])],
  }
}

interface WithSpec {
  readonly spec?: { readonly template?: Template; readonly jobTemplate?: { readonly spec?: { readonly template?: Template } } }
}
type Template = DeepReadonly<PodTemplateSpec>

const templates: Readonly<Record<string, (object: KubeObject) => Template | undefined>> = {
  podtemplates: (object) => (object as { readonly template?: Template }).template,
  replicationcontrollers: findSpecTemplate,
  'replicasets.apps': findSpecTemplate,
  'deployments.apps': findSpecTemplate,
  'statefulsets.apps': findSpecTemplate,
  'daemonsets.apps': findSpecTemplate,
  'jobs.batch': findSpecTemplate,
  'cronjobs.batch': (object) => (object as WithSpec).spec?.jobTemplate?.spec?.template,
}

function findSpecTemplate(object: KubeObject): Template | undefined {
  return (object as WithSpec).spec?.template
}

/** Resources whose objects contain a pod template. */
export const resourcesWithTemplate: readonly string[] = Object.keys(templates)

/** Returns the pod template of an object. Returns undefined if the kind has none. */
export function findPodTemplate({ group, resource }: GroupResource, object: KubeObject): CheckedPod | undefined {
  const template = templates[group === '' ? resource : `${resource}.${group}`]?.(object)
  return template === undefined ? undefined : createCheckedPod(template.metadata?.annotations, template.spec)
}

export function extractPod(object: DeepReadonly<KubeObject>): CheckedPod {
  return createCheckedPod(object.metadata.annotations, (object as { readonly spec?: DeepReadonly<PodSpec> }).spec)
}
