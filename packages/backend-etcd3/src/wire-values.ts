import type { LeaseId } from '@keelson/storagebackend'

/** What an entry's lease is when its number is beyond what a number can say: leases that other programs let etcd number are. */
export const foreignLease: LeaseId = -1

/** 64-bit integers of the package's messages, which arrive as text. */
export function toInteger(text: string): number {
  return toSafe(Number(text))
}

/** An integer that was read of the wire: exact, or refused. */
export function toSafe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error(`etcd answered with the integer ${value}, which is beyond the safe range`)
  return value
}

export function toLease(value: number): LeaseId {
  return Number.isSafeInteger(value) ? value : foreignLease
}

/** etcd has no empty key; the smallest there can be is one zero byte. */
export function toKey(key: string): Buffer {
  return Buffer.from(key === '' ? '\0' : key)
}
