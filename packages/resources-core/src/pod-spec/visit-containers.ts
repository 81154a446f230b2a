import type { EphemeralContainer, PodSpec, Container } from '@keelson/api/core/v1'
import type { DeepReadonly, FieldPath } from '@keelson/apimachinery'

/** Any of the three kinds of containers; they differ only in `targetContainerName`. */
export type AnyContainer = Container | EphemeralContainer
export type ReadonlyContainer = DeepReadonly<AnyContainer>
export type ReadonlyPodSpec = DeepReadonly<PodSpec>

export interface ContainerAt {
  readonly container: ReadonlyContainer
  readonly path: FieldPath
}

/** Returns all containers in upstream's order: init containers, containers, ephemeral containers. */
export function listContainersWithPath(spec: ReadonlyPodSpec, path: FieldPath): readonly ContainerAt[] {
  const found: ContainerAt[] = []
  for (const member of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    const containers: readonly ReadonlyContainer[] | null | undefined = spec[member]
    if (containers === undefined || containers === null) continue
    const at = path.child(member)
    for (let i = 0; i < containers.length; i++) found.push({ container: containers[i]!, path: at.index(i) })
  }
  return found
}

/** True if the predicate holds for any container. Allocates no list, because the answer is almost always false. */
export function hasContainer(spec: ReadonlyPodSpec, predicate: (container: ReadonlyContainer) => boolean): boolean {
  return (
    (spec.initContainers?.some(predicate) ?? false) ||
    (spec.containers?.some(predicate) ?? false) ||
    (spec.ephemeralContainers?.some(predicate) ?? false)
  )
}

export function listContainers(spec: ReadonlyPodSpec): readonly ReadonlyContainer[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])]
}

/** Returns the containers themselves, for callers that mutate them. */
export function listMutableContainers(spec: PodSpec): AnyContainer[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])]
}

/** True for init containers that keep running next to the regular containers. */
export function isSidecar(container: DeepReadonly<Container> | undefined): boolean {
  return container?.restartPolicy === 'Always'
}
