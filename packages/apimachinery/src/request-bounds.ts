import { newRequestEntityTooLarge } from './api-errors.ts'

/**
 * List items and members of objects that a request's document may have. kube-apiserver has no such limit: a document of 900,000 empty items, 2.7 MB,
 * keeps one of its threads busy for up to half a minute, until the request times out. Here it would keep everybody waiting. etcd stores at most 1.5 MiB, so
 * kube-apiserver stores nothing that is refused here but objects with less than 16 bytes for each value, names of members included. A pod has 30, an endpoint
 * slice 25; the widest objects in use, role bindings, schemas and endpoints, have some 10,000 values.
 */
export const maxRequestValues = 100_000

/** Shorter documents do not have room for so many values: each takes two bytes. */
const shortLength = 2 * maxRequestValues

export function newTooManyValues(): Error {
  return newRequestEntityTooLarge(`a document has at most ${maxRequestValues} list items and members of objects`)
}

/** Throws 413 for a document of a request that has too many values. `length`: of its text or bytes. */
export function refuseTooManyValues(document: unknown, length: number): void {
  if (length > shortLength && countValues(document, 0) > maxRequestValues) throw newTooManyValues()
}

/** Ends soon after the most that are allowed. */
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

/** A step of a request that takes longer lets others go on before the next one. */
const longMilliseconds = 10

/**
 * Between two steps of a request, of which the first began at `began` (`performance.now()`): undefined when that took no time, else a promise
 * for a later turn of the event loop.
 *
 * @example
 * const began = performance.now()
 * decode()
 * const rest = restAfter(began)
 * if (rest !== undefined) await rest
 */
export function restAfter(began: number): Promise<void> | undefined {
  if (performance.now() - began < longMilliseconds) return undefined
  // Two turns: a request that is read in the first goes on at its end, behind who waited before it.
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}
