import { fieldError, validateNonNegative } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'

type Counts = Readonly<Record<string, number | undefined>>

/** Requires counts that are not negative. Skips undefined counts. */
export function validateCounts(counts: Counts, path: FieldPath): FieldErrorList {
  return Object.entries(counts).flatMap(([name, count]) => (count === undefined ? [] : validateNonNegative(count, path.child(name))))
}

/** Requires each of `shares` to be at most `replicas`, and `availableReplicas` at most `readyReplicas`. */
export function validateShares(
  counts: Counts,
  shares: readonly string[],
  { path, ready = 'readyReplicas' }: { readonly path: FieldPath; readonly ready?: string },
): FieldErrorList {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = counts
  const errors = shares.flatMap((name) =>
    (counts[name] ?? 0) > replicas
      ? [fieldError.invalid(path.child(name), counts[name] ?? 0, 'cannot be greater than status.replicas')]
      : [],
  )
  if (availableReplicas > readyReplicas) {
    errors.push(fieldError.invalid(path.child('availableReplicas'), availableReplicas, `cannot be greater than ${ready}`))
  }
  return errors
}

/** Rejects a lower collision count. */
export function validateCollisions(count: number | undefined, old: number | undefined, path: FieldPath): FieldErrorList {
  if (old === undefined || (count !== undefined && count >= old)) return []
  return [fieldError.invalid(path.child('collisionCount'), count ?? 0, 'cannot be decremented')]
}
