import type { EphemeralContainer, PodSpec, Container } from '@keelson/api/core/v1'
import type { DeepReadonly, FieldPath } from '@keelson/apimachinery'

/** What the three kinds of containers have in common: all but `targetContainerName`. */
export type AnyContainer = Container | EphemeralContainer
export type ReadonlyContainer = DeepReadonly<AnyContainer>
export type ReadonlyPodSpec = DeepReadonly<PodSpec>

export interface ContainerAt {
  readonly container: ReadonlyContainer
  readonly path: FieldPath
}

/** Init containers, containers, ephemeral containers: the order in which the original speaks of them. */
export function containersWithPath(spec: ReadonlyPodSpec, path: FieldPath): readonly ContainerAt[] {
  const found: ContainerAt[] = []
  for (const member of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    const containers: readonly ReadonlyContainer[] | null | undefined = spec[member]
    if (containers === undefined || containers === null) continue
    const at = path.child(member)
    for (let i = 0; i < containers.length; i++) found.push({ container: containers[i]!, path: at.index(i) })
  }
  return found
}

/** Without making a list: for questions that are nearly always answered with no. */
export function someContainer(spec: ReadonlyPodSpec, is: (container: ReadonlyContainer) => boolean): boolean {
  return (spec.initContainers?.some(is) ?? false) || (spec.containers?.some(is) ?? false) || (spec.ephemeralContainers?.some(is) ?? false)
}

export function everyContainer(spec: ReadonlyPodSpec): readonly ReadonlyContainer[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])]
}

/** To be changed in place. */
export function everyMutableContainer(spec: PodSpec): AnyContainer[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])]
}

/** An init container that keeps running beside the others. */
export function isSidecar(container: DeepReadonly<Container> | undefined): boolean {
  return container?.restartPolicy === 'Always'
}
