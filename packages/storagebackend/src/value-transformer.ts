import { aggregateMessages } from '@keelson/apimachinery'
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

/** The first bytes of every encrypted value. No other value has them: JSON starts with "{", protobuf with "k8s" and a zero, a record with 1. */
const encryptedPrefix = Buffer.from('k8s:enc:')

export function isEncryptedValue(stored: Uint8Array): boolean {
  return stored.length >= encryptedPrefix.length && encryptedPrefix.compare(stored, 0, encryptedPrefix.length) === 0
}

/** The error for an encrypted value when no encryption is configured. */
export const encryptedUnexpectedly = 'identity transformer tried to read encrypted data'

/** A transformer, and the prefix of its values in the store. The transformer never sees the prefix. */
export interface PrefixedTransformer {
  /** "" is a prefix of every value: stored unchanged. */
  readonly prefix: string
  readonly transformer: ValueTransformer
}

interface Candidate {
  readonly prefix: Buffer
  readonly transformer: ValueTransformer
}

/**
 * Several transformers as one: the first writes, all read. Every transformer with a matching prefix is tried in order, because two providers may
 * have the same prefix and different keys. A value that another than the first one read is stale. `noMatch` is the error for a value without a
 * matching prefix.
 */
export function createPrefixTransformer(transformers: readonly PrefixedTransformer[], noMatch: string): ValueTransformer {
  const candidates: readonly Candidate[] = transformers.map(({ prefix, transformer }) => ({ prefix: Buffer.from(prefix), transformer }))
  const [first] = candidates
  if (first === undefined) throw new Error('at least one transformer is needed')

  function fromStorage(stored: Uint8Array, key: string): PlainValue {
    const failures: Error[] = []
    for (const candidate of candidates) {
      if (!startsWith(stored, candidate.prefix)) continue
      try {
        const { data, stale } = candidate.transformer.fromStorage(stored.subarray(candidate.prefix.length), key)
        return { data, stale: stale || candidate !== first }
      } catch (error) {
        // A transformer without a prefix is tried for every value: its failure means nothing.
        if (candidate.prefix.length > 0) failures.push(error as Error)
      }
    }
    if (failures.length === 0) throw new Error(noMatch)
    if (failures.length === 1) throw failures[0]!
    throw new AggregateError(failures, aggregateMessages(failures.map((failure) => failure.message)))
  }

  function toStorage(data: Uint8Array, key: string): Uint8Array {
    const value = first!.transformer.toStorage(data, key)
    return first!.prefix.length === 0 ? value : Buffer.concat([first!.prefix, value])
  }

  if (!candidates.some(({ transformer }) => transformer.prepare !== undefined)) return { fromStorage, toStorage }
  return {
    fromStorage,
    toStorage,
    /** A transformer that may wait has a unique prefix: the first match is the only one. */
    prepare(stored, key) {
      const fitting = candidates.find(({ prefix }) => prefix.length > 0 && startsWith(stored, prefix))
      return fitting?.transformer.prepare?.(stored.subarray(fitting.prefix.length), key)
    },
  }
}

function startsWith(value: Uint8Array, prefix: Buffer): boolean {
  return value.length >= prefix.length && prefix.compare(value, 0, prefix.length) === 0
}
