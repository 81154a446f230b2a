import { newRequestEntityTooLarge } from './api-errors.ts'

/**
 * The maximum number of list items and object members in a request's document. kube-apiserver has no such limit: 900,000 empty items (2.7
 * MB) keep one of its threads busy for up to half a minute; here they would block all requests. etcd stores at most 1.5 MiB, so storable
 * objects are only rejected if they have less than 16 bytes per value, including member names. Pods have 30, endpoint slices 25. The
 * largest real objects (role bindings, schemas, endpoints) have some 10,000 values.
 */
export const maxRequestValues = 100_000

/** Shorter documents cannot exceed the limit: each value takes two bytes. */
const shortLength = 2 * maxRequestValues

export function newTooManyValues(): Error {
  return newRequestEntityTooLarge(`a document has at most ${maxRequestValues} list items and members of objects`)
}

/** Throws 413 if a request's document has too many values. `length` is that of its text or bytes. */
export function refuseTooManyValues(document: unknown, length: number): void {
  if (length > shortLength && countValues(document, 0) > maxRequestValues) throw newTooManyValues()
}

/** Stops soon after the limit. */
function countValues(value: unknown, before: number): number {
  let count = before
  if (Array.isArray(value)) {
    count += value.length
    for (let i = 0; i < value.length && count <= maxRequestValues; i++) {
      if (typeof value[i] === 'object' && value[i] !== null) count = countValues(value[i], count)
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const key in value) {
      if (++count > maxRequestValues) break
      const member = (value as { [key: string]: unknown })[key]
      if (typeof member === 'object' && member !== null) count = countValues(member, count)
    }
  }
  return count
}
