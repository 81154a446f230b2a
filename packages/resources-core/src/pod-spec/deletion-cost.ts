import { deletionCostAnnotation } from './annotation-keys.ts'

/** Returns whether the pod deletion cost annotation is missing or a canonical 32-bit integer. "+1" and "01" are not canonical. */
export function hasValidDeletionCost(annotations: Readonly<Record<string, string>> | undefined): boolean {
  const cost = annotations?.[deletionCostAnnotation]
  if (cost === undefined) return true
  return /^(0|-[0-9]+|[1-9][0-9]*)$/.test(cost) && Number(cost) === (Number(cost) | 0)
}
