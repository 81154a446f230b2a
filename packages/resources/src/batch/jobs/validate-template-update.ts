import type { Job } from '@keelson/api/batch/v1'
import { coreV1 } from '@keelson/api/core/v1'
import type { Container, PodSpec, PodTemplateSpec } from '@keelson/api/core/v1'
import { fieldError, immutableMessage, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { toInternalStruct } from '@keelson/resources-core'
import { hasCondition } from './job-conditions.ts'

type ReadonlyJob = DeepReadonly<Job>
type Template = DeepReadonly<PodTemplateSpec>
type ReadonlySpec = DeepReadonly<PodSpec>
type Containers = readonly DeepReadonly<Container>[]

/**
 * Validates an update of the pod template. While a job is suspended and has no pods, scheduling and resources may change. Otherwise the
 * template is immutable.
 */
export function validateTemplateUpdate({ spec }: ReadonlyJob, old: ReadonlyJob, path: FieldPath): FieldErrorList {
  const template: Template = spec?.template ?? {}
  const oldTemplate: Template = old.spec?.template ?? {}
  if (!isMutable(old)) {
    if (equalsSemantically(template, oldTemplate)) return []
    return [
      fieldError.invalid(path.child('template'), toInternalStruct(coreV1.table.resolve('PodTemplateSpec'), template), immutableMessage),
    ]
  }
  const pod = template.spec ?? { containers: null }
  const allowed = replaceResources(pod, replaceScheduling(pod, oldTemplate.spec ?? { containers: null }))
  if (equalsSemantically(pod, allowed)) return []
  return [fieldError.invalid(path.child('template.spec'), toInternalStruct(coreV1.table.resolve('PodSpec'), pod), immutableMessage)]
}

function isMutable(job: ReadonlyJob): boolean {
  if (job.spec?.suspend !== true) return false
  const isIdle = job.status?.startTime === undefined || hasCondition(job, 'Suspended')
  return isIdle && (job.status?.active ?? 0) === 0
}

function replaceScheduling({ affinity, nodeSelector, tolerations, schedulingGates }: ReadonlySpec, old: ReadonlySpec): ReadonlySpec {
  const { nodeAffinity: _open, ...rest } = old.affinity ?? {}
  const { affinity: _affinity, nodeSelector: _nodes, tolerations: _tolerations, schedulingGates: _gates, ...kept } = old
  const nodeAffinity = affinity?.nodeAffinity
  const mergedAffinity = { ...rest, ...(nodeAffinity !== undefined && { nodeAffinity }) }
  // An empty affinity has no effect. It is copied from the new template, so that it does not count as a change.
  const hasAffinity = Object.keys(mergedAffinity).length > 0 || affinity !== undefined
  return {
    ...kept,
    ...(hasAffinity && { affinity: mergedAffinity }),
    ...(nodeSelector !== undefined && { nodeSelector }),
    ...(tolerations !== undefined && { tolerations }),
    ...(schedulingGates !== undefined && { schedulingGates }),
  }
}

function replaceResources(pod: ReadonlySpec, old: ReadonlySpec): ReadonlySpec {
  const initContainers = mergeResources(pod.initContainers ?? [], old.initContainers ?? [])
  return {
    ...old,
    containers: mergeResources(pod.containers ?? [], old.containers ?? []),
    ...(old.initContainers !== undefined && { initContainers }),
  }
}

function mergeResources(containers: Containers, old: Containers): Containers {
  if (containers.length !== old.length) return old
  return old.map((container, i) => {
    const { name, resources } = containers[i]!
    if (name !== container.name) return container
    const { resources: _old, ...rest } = container
    return resources === undefined ? rest : { ...rest, resources }
  })
}
