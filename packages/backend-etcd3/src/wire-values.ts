import type { LeaseId } from '@keelson/storagebackend'

/** Lease id that replaces all ids outside the range of safe integers. Such ids come from programs that let etcd choose them. */
export const foreignLease: LeaseId = -1

/** Parses a 64-bit integer in a message of etcd3, which represents such integers as strings. Throws if it is not a safe integer. */
export function parseInteger(text: string): number {
  return requireSafeInteger(Number(text))
}

/** Returns an integer of a message unchanged. Throws if it is outside the range of safe integers. */
export function requireSafeInteger(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error(`etcd returned the integer ${value}, which is outside the safe range`)
  return value
}

export function toLeaseId(value: number): LeaseId {
  return Number.isSafeInteger(value) ? value : foreignLease
}

/** Encodes a key for etcd. The empty key becomes one zero byte, which is the smallest key in etcd. */
export function toKey(key: string): Buffer {
  return Buffer.from(key === '' ? '\0' : key)
}
