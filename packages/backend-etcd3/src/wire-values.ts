import type { Entry, LeaseId, Revision } from '@keelson/storagebackend'
import type { IKeyValue } from 'etcd3'

/** What an entry's lease is when its number is beyond what a number can say: leases that other programs let etcd number are. */
export const foreignLease: LeaseId = -1

/** The one place where the 64-bit integers of the wire, which arrive as text, become numbers. */
export function toInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`etcd answered with the integer ${text}, which is beyond the safe range`)
  return value
}

export function toRevision(text: string): Revision {
  return toInteger(text)
}

function toLease(text: string): LeaseId {
  if (text === '0') return 0
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : foreignLease
}

/** `alone`: the answer holds nothing else, so its bytes may be kept as they are; else the value is copied out of the answer. */
export function toEntry(kv: IKeyValue, alone = false): Entry {
  return {
    key: kv.key.toString('utf8'),
    value: alone ? kv.value : Buffer.from(kv.value),
    createRevision: toInteger(kv.create_revision),
    modRevision: toInteger(kv.mod_revision),
    lease: toLease(kv.lease),
  }
}

/** etcd has no empty key; the smallest there can be is one zero byte. */
export function toKey(key: string): Buffer {
  return Buffer.from(key === '' ? '\0' : key)
}

export function toValue(value: Uint8Array): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}
