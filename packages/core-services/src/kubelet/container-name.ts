import type { Pod } from '@keelson/api/core/v1'
import { newBadRequest } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { listContainers } from '@keelson/resources-core'

/** Returns the requested container, or the only one of the pod. Throws BadRequest if it does not exist or is ambiguous. */
export function resolveContainerName({ metadata, spec }: DeepReadonly<Pod>, requested: string): string {
  const name = metadata.name ?? ''
  const names = spec === undefined ? [] : listContainers(spec).map((container) => container.name ?? '')
  if (requested !== '') {
    if (names.includes(requested)) return requested
    throw newBadRequest(`container ${requested} is not valid for pod ${name}`)
  }
  const [only, ...otherContainers] = spec?.containers ?? []
  if (only === undefined) throw newBadRequest(`a container name must be specified for pod ${name}`)
  if (otherContainers.length > 0)
    throw newBadRequest(`a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`)
  return only.name ?? ''
}
