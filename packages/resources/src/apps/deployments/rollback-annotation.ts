import type { Deployment } from '@keelson/api/apps/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { parseNumberAnnotation } from '../number-annotation.ts'

/** Annotation with the revision of a rollback, which was `spec.rollbackTo.revision` in earlier API versions. */
export const rollbackAnnotation = 'deprecated.deployment.rollback.to'

/** Normalizes the rollback annotation to a canonical number. An empty annotation is removed. Mutates its argument. */
export function normalizeRollback({ metadata }: Deployment): void {
  const { annotations } = metadata
  const revision = annotations?.[rollbackAnnotation]
  if (annotations === undefined || revision === undefined) return
  if (revision === '') delete annotations[rollbackAnnotation]
  else {
    const describeError = (reason: string): string => `failed to parse annotation[${rollbackAnnotation}]=${revision} as int64: ${reason}`
    annotations[rollbackAnnotation] = parseNumberAnnotation('Deployment', revision, describeError)
  }
}

export function readRollbackRevision({ metadata }: DeepReadonly<Deployment>): number | undefined {
  const revision = metadata.annotations?.[rollbackAnnotation]
  return revision === undefined ? undefined : Number(revision)
}

/** Restores the annotation of `old`. It belongs to the spec, so status writes must not change it. Mutates its first argument. */
export function keepRollback({ metadata }: Deployment, old: DeepReadonly<Deployment>): void {
  const revision = old.metadata.annotations?.[rollbackAnnotation]
  if (revision !== undefined) metadata.annotations = { ...metadata.annotations, [rollbackAnnotation]: revision }
  else if (metadata.annotations !== undefined) delete metadata.annotations[rollbackAnnotation]
}
