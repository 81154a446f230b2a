import { isUint8Array } from 'node:util/types'
import type { Transaction } from './backend.ts'

/**
 * Throws a `TypeError` that names the invalid member of a transaction. Drivers call it first, so nothing is written then. Callers in JavaScript have
 * no types, and a string in place of bytes would be stored as something else.
 */
export function requireTransaction(transaction: Transaction): void {
  if (typeof transaction !== 'object' || transaction === null) throw wrong('the transaction', '{ compare, operations }', transaction)
  const { compare, operations } = transaction
  if (!Array.isArray(compare)) throw wrong('compare', 'an array of { key, modRevision }, empty to compare nothing', compare)
  if (!Array.isArray(operations)) throw wrong('operations', 'an array of puts and deletes', operations)
  for (let i = 0; i < compare.length; i++) {
    const { key, modRevision } = (compare[i] ?? {}) as Partial<Transaction['compare'][number]>
    if (typeof key !== 'string') throw wrong(`compare[${i}].key`, 'a string', key)
    if (!Number.isSafeInteger(modRevision)) throw wrong(`compare[${i}].modRevision`, 'an integer, 0 for an absent key', modRevision)
  }
  for (let i = 0; i < operations.length; i++) {
    const { type, key, value, lease } = (operations[i] ?? {}) as { type?: unknown; key?: unknown; value?: unknown; lease?: unknown }
    if (type !== 'put' && type !== 'delete') throw wrong(`operations[${i}].type`, '"put" or "delete"', type)
    if (typeof key !== 'string' || key === '') throw wrong(`operations[${i}].key`, 'a string that is not empty', key)
    if (type === 'delete') continue
    if (!isUint8Array(value)) throw wrong(`operations[${i}].value`, 'a Uint8Array (a Buffer is one)', value)
    if (lease !== undefined && !Number.isSafeInteger(lease)) throw wrong(`operations[${i}].lease`, 'a lease that grantLease gave', lease)
  }
}

function wrong(place: string, allowed: string, value: unknown): TypeError {
  return new TypeError(`${place} must be ${allowed}, not ${describe(value)}`)
}

function describe(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : `a string (${JSON.stringify(value.slice(0, 40))})`
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? 'an array' : `a ${value.constructor?.name ?? 'object'}`
}
