import type { LeaseId } from '@keelson/storagebackend'

/** Stands for a lease id beyond the safe integer range. Such ids come from programs that let etcd choose them. */
export const foreignLease: LeaseId = -1

/** Parses a 64-bit integer of etcd3's messages, which are strings. */
export function toInteger(text: string): number {
  return toSafe(Number(text))
}

/** Returns an integer of a message. Throws if it exceeds the safe integer range. */
export function toSafe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error(`etcd returned the integer ${value}, which is outside the safe range`)
  return value
}

export function toLease(value: number): LeaseId {
  return Number.isSafeInteger(value) ? value : foreignLease
}

/** Encodes a key. The empty key becomes one zero byte, the smallest key in etcd. */
export function toKey(key: string): Buffer {
  return Buffer.from(key === '' ? '\0' : key)
}
