import type { Container, EphemeralContainer } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { CheckedPod } from './check.ts'

type Containers = readonly DeepReadonly<Container | EphemeralContainer>[] | null | undefined

/** Only changed images and added containers of a running pod need another evaluation. */
export function isSignificantUpdate({ spec }: CheckedPod, { spec: old }: CheckedPod): boolean {
  if (imagesChanged(spec.containers, old.containers) || imagesChanged(spec.initContainers, old.initContainers)) return true
  const before = new Map((old.ephemeralContainers ?? []).map(({ name, image }) => [name, image ?? '']))
  return (spec.ephemeralContainers ?? []).some(({ name, image }) => before.get(name) !== (image ?? ''))
}

function imagesChanged(containers: Containers, old: Containers): boolean {
  const now = containers ?? []
  const then = old ?? []
  return now.length !== then.length || now.some(({ image }, i) => (image ?? '') !== (then[i]!.image ?? ''))
}
