import type { PodSpec } from '@keelson/api/core/v1'
import type { ObjectMeta } from '@keelson/apimachinery'
import { initContainerAnnotations } from './annotation-keys.ts'

/**
 * Copies `serviceAccountName` to the deprecated field `serviceAccount`. Copies in the other direction if only `serviceAccount` is set.
 * Mutates `spec`.
 */
export function normalizePodSpec(spec: PodSpec): void {
  const account = spec.serviceAccountName || spec.serviceAccount
  if (account) {
    spec.serviceAccountName = account
    spec.serviceAccount = account
  }
}

/** Removes the obsolete init container annotations. Mutates `metadata`. */
export function removeInitContainerAnnotations(metadata: ObjectMeta): void {
  const { annotations } = metadata
  if (annotations === undefined || !initContainerAnnotations.some((key) => Object.hasOwn(annotations, key))) return
  metadata.annotations = Object.fromEntries(Object.entries(annotations).filter(([key]) => !initContainerAnnotations.includes(key)))
}
