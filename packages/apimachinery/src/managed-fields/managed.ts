import { mapList } from '../map-list.ts'
import type { ManagedFieldsEntry } from '../meta.ts'
import { stringifyJson } from '../encode-json.ts'
import { compareUtf8 } from '../utf8-order.ts'
import { normalizeFieldSet } from './field-set.ts'
import type { FieldSet } from './field-set.ts'

/** The fields of one manager, in the version of its write. */
export interface VersionedSet {
  readonly set: FieldSet
  readonly apiVersion: string
  readonly applied: boolean
}

/** Identifies a manager. For appliers, the version is not part of the identity. */
export interface ManagerIdentity {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
}

export interface ManagedEntry extends VersionedSet {
  readonly identity: ManagerIdentity
  readonly time: string | undefined
}

/** Keyed by the identity's JSON, which is also the order of managers in messages. */
export type Managed = Map<string, ManagedEntry>

export function identityOf(manager: string, operation: 'Apply' | 'Update', apiVersion: string, subresource: string): ManagerIdentity {
  return { manager, operation, apiVersion: operation === 'Apply' ? '' : apiVersion, subresource }
}

export function identityText({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  return stringifyJson({
    ...(manager !== '' && { manager }),
    operation,
    ...(apiVersion !== '' && { apiVersion }),
    ...(subresource !== '' && { subresource }),
  })
}

/**
 * Decodes the managedFields of an object. `trusted` means written by a server, so the sets are normalized already. Throws on invalid
 * entries.
 */
export function decodeManaged(entries: readonly ManagedFieldsEntry[] | undefined, trusted: boolean): Managed {
  const managed: Managed = new Map()
  for (const [i, entry] of (entries ?? []).entries()) {
    const { manager = '', operation, apiVersion = '', fieldsType = '', fieldsV1, subresource = '', time } = entry
    if (operation !== 'Apply' && operation !== 'Update') throw new TypeError('operation must be `Apply` or `Update`')
    if (apiVersion === '') throw new TypeError('apiVersion must not be empty')
    if (fieldsType === '') throw new TypeError(`missing fieldsType in managed fields entry ${i}`)
    if (fieldsType !== 'FieldsV1') throw new TypeError(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${i}`)
    const identity = identityOf(manager, operation, apiVersion, subresource)
    const set = trusted && fieldsV1 !== undefined ? (fieldsV1 as unknown as FieldSet) : normalizeFieldSet(fieldsV1)
    managed.set(identityText(identity), { identity, set, apiVersion, applied: operation === 'Apply', time })
  }
  return managed
}

/** Encodes in the order of the API: appliers first, then by time and name. Returns undefined if there are no managers. */
export function encodeManaged(managed: Managed): ManagedFieldsEntry[] | undefined {
  if (managed.size === 0) return undefined
  return mapList([...managed.values()].sort(compareEntries), encodeEntry)
}

function encodeEntry({ identity, set, apiVersion, time }: ManagedEntry): ManagedFieldsEntry {
  const { manager, operation, subresource } = identity
  return {
    ...(manager !== '' && { manager }),
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: set,
    ...(subresource !== '' && { subresource }),
  }
}

function compareEntries(a: ManagedEntry, b: ManagedEntry): number {
  return (
    compareUtf8(a.identity.operation, b.identity.operation) ||
    compareUtf8(a.time ?? '', b.time ?? '') ||
    compareUtf8(a.identity.manager, b.identity.manager) ||
    compareUtf8(a.apiVersion, b.apiVersion) ||
    compareUtf8(a.identity.subresource, b.identity.subresource)
  )
}
