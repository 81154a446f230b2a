import type { Pod } from '@keelson/api/core/v1'
import { newBadRequest } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { everyContainer } from '@keelson/resources-core'

/** The container that is meant: the one that is named, or the only one. Throws 400. */
export function containerName({ metadata, spec }: DeepReadonly<Pod>, wanted: string): string {
  const name = metadata.name ?? ''
  const all = spec === undefined ? [] : everyContainer(spec).map((container) => container.name ?? '')
  if (wanted !== '') {
    if (all.includes(wanted)) return wanted
    throw newBadRequest(`container ${wanted} is not valid for pod ${name}`)
  }
  const [only, ...others] = spec?.containers ?? []
  if (only === undefined) throw newBadRequest(`a container name must be specified for pod ${name}`)
  if (others.length > 0) throw newBadRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`)
  return only.name ?? ''
}
