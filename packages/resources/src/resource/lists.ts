import { fieldError, repeatCheck } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'

export type ItemRule<T> = (item: T, path: FieldPath) => FieldErrorList

/** Validates each item of a list. If there are too many items, the only error is about their number. */
export function validateList<T>(list: readonly T[] | null | undefined, max: number, rule: ItemRule<T>, path: FieldPath): FieldErrorList {
  const items = list ?? []
  if (items.length > max) return [fieldError.tooMany(path, items.length, max)]
  return items.flatMap((item, i) => rule(item, path.index(i)))
}

export interface SetRules<T> {
  readonly max: number
  readonly rule: ItemRule<T>
  /** Returns the key of an item. Items with equal keys are duplicates. */
  readonly key: (item: T) => unknown
}

export function validateSet<T>(list: readonly T[] | null | undefined, { max, rule, key }: SetRules<T>, path: FieldPath): FieldErrorList {
  const items = list ?? []
  const errors = validateList(items, max, rule, path)
  if (items.length > max) return errors
  const isRepeated = repeatCheck<string>()
  for (const [i, item] of items.entries()) {
    const value = key(item)
    if (isRepeated(JSON.stringify(value))) errors.push(fieldError.duplicate(path.index(i), value))
  }
  return errors
}
