import type { GroupResource } from '@keelson/apimachinery'

export interface PlainValue {
  /** May be a view into the stored bytes. Must not be written to. */
  readonly data: Uint8Array
  /** Readable, but would be written differently now (another key, another provider): an update writes it even without a change. */
  readonly stale: boolean
}

/**
 * Encryption at rest, between an encoded object and the bytes in the store. The storage key is the authenticated data: every transformer that
 * authenticates refuses a value that was moved to another key.
 *
 * Work per value is synchronous, since walks of lists never wait. `prepare` is separate and may wait for a key service to unwrap a key. That happens
 * once per key, not once per value.
 */
export interface ValueTransformer {
  /** Throws if the value cannot be read, also if `prepare` was needed and not awaited. */
  fromStorage(stored: Uint8Array, key: string): PlainValue
  /** Throws if nothing may be written now (the key service has been silent for too long). The result belongs to the caller. */
  toStorage(data: Uint8Array, key: string): Uint8Array
  /**
   * Nearly always undefined: `fromStorage` can read the value at once. Otherwise a promise; call `prepare` again after it, since the transformers may
   * have been replaced. Rejects if the value cannot be read. Absent: the transformer never waits.
   */
  prepare?(stored: Uint8Array, key: string): Promise<void> | undefined
}

/** The transformer of each resource. */
export interface ResourceTransformers {
  /** Undefined: values are stored without a transformation. */
  transformerFor(resource: GroupResource): ValueTransformer | undefined
}
