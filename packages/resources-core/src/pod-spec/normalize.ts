import type { PodSpec } from '@keelson/api/core/v1'
import type { ObjectMeta } from '@keelson/apimachinery'
import { initContainerAnnotations } from './annotation-keys.ts'

/** Two names for one field: `serviceAccountName` decides, the old one always says the same. In place. */
export function normalizePodSpec(spec: PodSpec): void {
  const account = spec.serviceAccountName || spec.serviceAccount
  if (account) {
    spec.serviceAccountName = account
    spec.serviceAccount = account
  }
}

/** In place. */
export function withoutInitContainerAnnotations(metadata: ObjectMeta): void {
  const { annotations } = metadata
  if (annotations === undefined || !initContainerAnnotations.some((key) => Object.hasOwn(annotations, key))) return
  metadata.annotations = Object.fromEntries(Object.entries(annotations).filter(([key]) => !initContainerAnnotations.includes(key)))
}
