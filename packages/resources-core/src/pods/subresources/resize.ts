import type { Container, Pod, PodSpec } from '@keelson/api/core/v1'
import { copyObject } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '../../keep-member.ts'
import { dropDisabledPodFields } from '../../pod-spec/drop-disabled-fields.ts'
import { countGeneration } from '../strategy.ts'
import { keepMetadata } from './keep-metadata.ts'
import { validateResize } from './validate-resize.ts'

/** What the containers of a pod that runs ask for. */
export const resize: SubresourceStrategy<Pod> = {
  update: {
    prepareForUpdate(_context, pod, old) {
      keepAllButResources(pod, old)
      if (pod.spec !== undefined) dropDisabledPodFields(pod.spec, old.spec)
      countGeneration(pod, old)
    },
    validateUpdate: (_context, pod, old) => validateResize(pod, old),
  },
  tabled: false,
}

/** Nothing is kept when the lists do not belong together, for validation to refuse it. */
function keepAllButResources(pod: Pod, old: DeepReadonly<Pod>): void {
  const asked = pod.spec
  const stored = copyObject(old.spec ?? { containers: null }) as PodSpec
  const lists = ['containers', 'initContainers'] as const
  if (asked === undefined || lists.some((list) => (asked[list] ?? []).length !== (stored[list] ?? []).length)) return
  const spec: PodSpec = { ...stored }
  if (asked.resources === undefined) delete spec.resources
  else spec.resources = asked.resources
  for (const list of lists) {
    const containers = asked[list] ?? []
    if (containers.length > 0) spec[list] = withResources(stored[list] ?? [], containers)
  }
  keepMember(pod, old, 'status')
  keepMetadata(pod, old)
  pod.spec = spec
}

function withResources(stored: readonly Container[], asked: Container[]): Container[] {
  if (asked.some(({ name }, i) => name !== stored[i]?.name)) return asked
  return asked.map(({ resources, resizePolicy }, i) => {
    const { resources: _resources, resizePolicy: _policy, ...container } = stored[i]!
    return Object.assign(container, resources && { resources }, resizePolicy && { resizePolicy })
  })
}
