import type { Container, Pod, PodSpec } from '@keelson/api/core/v1'
import { copyObject } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '../../keep-member.ts'
import { dropDisabledPodFields } from '../../pod-spec/drop-disabled-fields.ts'
import { countGeneration } from '../strategy.ts'
import { keepMetadata } from './keep-metadata.ts'
import { validateResize } from './validate-resize.ts'

/** Strategy of pods/resize, which changes the resources of a running pod. */
export const resize: SubresourceStrategy<Pod> = {
  update: {
    prepareForUpdate(_context, pod, old) {
      keepAllExceptResources(pod, old)
      if (pod.spec !== undefined) dropDisabledPodFields(pod.spec, old.spec)
      countGeneration(pod, old)
    },
    validateUpdate: (_context, pod, old) => validateResize(pod, old),
  },
  tabled: false,
}

/**
 * Restores all fields of a pod from the stored pod, except resources. If the container lists differ, restores nothing, so that validation
 * reports the difference.
 */
function keepAllExceptResources(pod: Pod, old: DeepReadonly<Pod>): void {
  const requested = pod.spec
  const stored = copyObject(old.spec ?? { containers: null }) as PodSpec
  const lists = ['containers', 'initContainers'] as const
  if (requested === undefined || lists.some((list) => (requested[list] ?? []).length !== (stored[list] ?? []).length)) return
  const spec: PodSpec = { ...stored }
  if (requested.resources === undefined) delete spec.resources
  else spec.resources = requested.resources
  for (const list of lists) {
    const containers = requested[list] ?? []
    if (containers.length > 0) spec[list] = withResources(stored[list] ?? [], containers)
  }
  keepMember(pod, old, 'status')
  keepMetadata(pod, old)
  pod.spec = spec
}

function withResources(stored: readonly Container[], requested: Container[]): Container[] {
  if (requested.some(({ name }, i) => name !== stored[i]?.name)) return requested
  return requested.map(({ resources, resizePolicy }, i) => {
    const { resources: _resources, resizePolicy: _policy, ...container } = stored[i]!
    return Object.assign(container, resources && { resources }, resizePolicy && { resizePolicy })
  })
}
