import type { EphemeralContainer, PodSpec, Container } from '@keelson/api/core/v1'
import type { DeepReadonly, FieldPath } from '@keelson/apimachinery'

/** A container of any kind. The three kinds differ only in `targetContainerName`. */
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

/** Returns whether the predicate is true for any container. Does not create a list, because the result is almost always false. */
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

/** Returns all containers, for callers that mutate them. */
export function listMutableContainers(spec: PodSpec): AnyContainer[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])]
}

/** Returns whether an init container keeps running while the regular containers run. */
export function isSidecar(container: DeepReadonly<Container> | undefined): boolean {
  return container?.restartPolicy === 'Always'
}
