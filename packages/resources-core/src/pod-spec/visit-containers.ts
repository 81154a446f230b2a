import type { EphemeralContainer, PodSpec, Container } from '@keelson/api/core/v1'
import type { DeepReadonly, FieldPath } from '@keelson/apimachinery'

/** An init, regular or ephemeral container. Only ephemeral containers have the field `targetContainerName`. */
export type AnyContainer = Container | EphemeralContainer
export type ReadonlyContainer = DeepReadonly<AnyContainer>
export type ReadonlyPodSpec = DeepReadonly<PodSpec>

export interface ContainerAt {
  readonly container: ReadonlyContainer
  readonly path: FieldPath
}

/** Lists all containers of a pod with their paths, in upstream's order: init, regular, ephemeral. */
export function listContainersWithPath(spec: ReadonlyPodSpec, path: FieldPath): readonly ContainerAt[] {
  const locations: ContainerAt[] = []
  for (const member of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    const containers: readonly ReadonlyContainer[] | null | undefined = spec[member]
    if (containers === undefined || containers === null) continue
    const at = path.child(member)
    for (let i = 0; i < containers.length; i++) locations.push({ container: containers[i]!, path: at.index(i) })
  }
  return locations
}

/** Returns whether the predicate is true for any container of a pod. Creates no list of containers, to be fast. */
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

/** Lists all containers of a pod, for callers that mutate the containers. */
export function listMutableContainers(spec: PodSpec): AnyContainer[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])]
}

/** Returns whether an init container is a sidecar: its restart policy is Always, so it runs as long as the regular containers. */
export function isSidecar(container: DeepReadonly<Container> | undefined): boolean {
  return container?.restartPolicy === 'Always'
}
