import type { GroupResource } from '@keelson/apimachinery'

export interface PlainValue {
  /** May be a view into the stored bytes. Must not be written to. */
  readonly data: Uint8Array
  /** It can be read, but would be written otherwise now (another key, another provider): an update writes it even if it changes nothing. */
  readonly stale: boolean
}

/**
 * What stands between an encoded object and the bytes in the store: encryption at rest. The storage key is the authenticated data: a
 * value that was moved to another key is refused by every transformer that authenticates.
 *
 * Work per value is synchronous, since lists are walked without waiting. What may have to wait, asking a key service to unwrap a key, is
 * apart: `prepare`. It is needed once per key, not once per value.
 */
export interface ValueTransformer {
  /** Throws when the value cannot be read, or when `prepare` was needed and not waited for. */
  fromStorage(stored: Uint8Array, key: string): PlainValue
  /** Throws when nothing may be written now (a key service that has not been heard of for too long). The result belongs to the caller. */
  toStorage(data: Uint8Array, key: string): Uint8Array
  /**
   * Undefined, which is nearly always so: `fromStorage` can read the value at once. Otherwise what to wait for; then ask again, for the
   * transformers may have been replaced meanwhile. Rejects when the value cannot be read. Absent: there is never anything to wait for.
   */
  prepare?(stored: Uint8Array, key: string): Promise<void> | undefined
}

/** The transformer of each resource. */
export interface ResourceTransformers {
  /** Undefined: values are stored as they are encoded. */
  transformerFor(resource: GroupResource): ValueTransformer | undefined
}
