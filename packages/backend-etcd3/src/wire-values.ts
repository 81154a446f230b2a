import type { LeaseId } from '@keelson/storagebackend'

/** Lease of an entry whose lease id exceeds the safe integer range. Such ids come from programs that let etcd choose them. */
export const foreignLease: LeaseId = -1

/** Parses a 64-bit integer of etcd3's messages, which are strings. */
export function toInteger(text: string): number {
  return toSafe(Number(text))
}

/** Checks an integer from the wire: returns it if exact, otherwise throws. */
export function toSafe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error(`etcd returned the integer ${value}, which is outside the safe range`)
  return value
}

export function toLease(value: number): LeaseId {
  return Number.isSafeInteger(value) ? value : foreignLease
}

/** etcd has no empty key; the smallest possible key is one zero byte. */
export function toKey(key: string): Buffer {
  return Buffer.from(key === '' ? '\0' : key)
}
