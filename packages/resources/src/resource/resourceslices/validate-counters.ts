import type { Counter } from '@keelson/api/resource/v1'
import { fieldError, isDNS1123Label } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors } from '@keelson/resources-core'

const maxCounters = 32

export function validateCounterName(name: string, path: FieldPath): FieldErrorList {
  return name === '' ? [fieldError.required(path)] : createInvalidErrors(isDNS1123Label(name), name, path)
}

export function validateCounters(counters: DeepReadonly<Record<string, Counter>> | undefined, path: FieldPath): FieldErrorList {
  const names = Object.keys(counters ?? {}).sort()
  if (names.length === 0) return [fieldError.required(path)]
  if (names.length > maxCounters) return [fieldError.tooMany(path, names.length, maxCounters)]
  return names.flatMap((name) => createInvalidErrors(isDNS1123Label(name), name, path))
}
