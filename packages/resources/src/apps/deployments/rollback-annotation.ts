import type { Deployment } from '@keelson/api/apps/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { parseNumberAnnotation } from '../number-annotation.ts'

/** Which revision to go back to, asked for in a version that had a member of the spec for it. */
export const rollbackAnnotation = 'deprecated.deployment.rollback.to'

/** A number, in one form; "" is no wish at all. In place. */
export function normalizeRollback({ metadata }: Deployment): void {
  const { annotations } = metadata
  const wish = annotations?.[rollbackAnnotation]
  if (annotations === undefined || wish === undefined) return
  if (wish === '') delete annotations[rollbackAnnotation]
  else {
    const explain = (reason: string): string => `failed to parse annotation[${rollbackAnnotation}]=${wish} as int64: ${reason}`
    annotations[rollbackAnnotation] = parseNumberAnnotation('Deployment', wish, explain)
  }
}

export function rollbackRevision({ metadata }: DeepReadonly<Deployment>): number | undefined {
  const wish = metadata.annotations?.[rollbackAnnotation]
  return wish === undefined ? undefined : Number(wish)
}

/** It counts as a member of the spec: a write of the status does not change it. In place. */
export function keepRollback({ metadata }: Deployment, old: DeepReadonly<Deployment>): void {
  const wish = old.metadata.annotations?.[rollbackAnnotation]
  if (wish !== undefined) metadata.annotations = { ...metadata.annotations, [rollbackAnnotation]: wish }
  else if (metadata.annotations !== undefined) delete metadata.annotations[rollbackAnnotation]
}
