import { deletionCostAnnotation } from './annotation-keys.ts'

/** False when the annotation is there and no 32 bit integer in plain form; "+1" and "01" are none. */
export function hasDeletionCost(annotations: Readonly<Record<string, string>> | undefined): boolean {
  const cost = annotations?.[deletionCostAnnotation]
  if (cost === undefined) return true
  return /^(0|-[0-9]+|[1-9][0-9]*)$/.test(cost) && Number(cost) === (Number(cost) | 0)
}
