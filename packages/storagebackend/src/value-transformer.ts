import { aggregateMessages } from '@keelson/apimachinery'
import type { GroupResource } from '@keelson/apimachinery'

/** A decrypted value. */
export interface PlainValue {
  /** The decrypted bytes. They may be a view into the stored bytes and must not be changed. */
  readonly data: Uint8Array
  /** Whether the value would be written differently now (another key, another provider). An update then writes it even without a change. */
  readonly stale: boolean
}

/**
 * Encryption at rest, between an encoded object and the bytes in the store. The storage key is the authenticated data: transformers that authenticate
 * refuse a value that was moved to another key.
 *
 * The work for each value is synchronous, because iterating over a list never waits. `prepare` is separate and may wait for a key service to unwrap a
 * key. That happens once per key, not once per value.
 */
export interface ValueTransformer {
  /** Decrypts a value. Throws if it cannot be read, or if `prepare` was needed but not awaited. */
  fromStorage(stored: Uint8Array, key: string): PlainValue
  /** Encrypts a value, into bytes that the caller owns. Throws if nothing may be written now (the key service does not respond). */
  toStorage(data: Uint8Array, key: string): Uint8Array
  /**
   * Makes a value readable. Returns undefined if `fromStorage` can read it at once, which is nearly always so. Otherwise returns a promise. Call
   * `prepare` again after it, because the transformer may have been replaced. Rejects if the value cannot be read. Absent: the transformer never
   * waits.
   */
  prepare?(stored: Uint8Array, key: string): Promise<void> | undefined
}

/** The transformers of all resources. */
export interface ResourceTransformers {
  /** Returns the transformer of a resource. Undefined: values are stored unencrypted. */
  transformerFor(resource: GroupResource): ValueTransformer | undefined
}

/** The first bytes of every encrypted value. Other values start differently: JSON with "{", protobuf with "k8s" and a zero, a record with 1. */
const encryptedPrefix = Buffer.from('k8s:enc:')

/** Returns whether a stored value is encrypted. */
export function isEncryptedValue(stored: Uint8Array): boolean {
  return stored.length >= encryptedPrefix.length && encryptedPrefix.compare(stored, 0, encryptedPrefix.length) === 0
}

/** The error for an encrypted value when no encryption is configured. */
export const encryptedUnexpectedly = 'identity transformer tried to read encrypted data'

/** A transformer, and the prefix of its values in the store. The transformer does not see the prefix. */
export interface PrefixedTransformer {
  /** The prefix, or "" to store values unchanged. */
  readonly prefix: string
  readonly transformer: ValueTransformer
}

interface Candidate {
  readonly prefix: Buffer
  readonly transformer: ValueTransformer
}

/**
 * Combines several transformers: the first one writes, all of them read. Every transformer with a matching prefix is tried in order, because two
 * providers may have the same prefix and different keys. A value is stale unless the first transformer read it. `noMatch` is the error for a value
 * without a matching prefix.
 */
export function createPrefixTransformer(transformers: readonly PrefixedTransformer[], noMatch: string): ValueTransformer {
  const candidates: readonly Candidate[] = transformers.map(({ prefix, transformer }) => ({ prefix: Buffer.from(prefix), transformer }))
  const [first] = candidates
  if (first === undefined) throw new Error('at least one transformer is required')

  function fromStorage(stored: Uint8Array, key: string): PlainValue {
    const failures: Error[] = []
    for (const candidate of candidates) {
      if (!startsWith(stored, candidate.prefix)) continue
      try {
        const { data, stale } = candidate.transformer.fromStorage(stored.subarray(candidate.prefix.length), key)
        return { data, stale: stale || candidate !== first }
      } catch (error) {
        // A transformer without a prefix is tried for every value, so its error is not reported.
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
    /** Transformers that may wait have a unique prefix, so only the first match is prepared. */
    prepare(stored, key) {
      const fitting = candidates.find(({ prefix }) => prefix.length > 0 && startsWith(stored, prefix))
      return fitting?.transformer.prepare?.(stored.subarray(fitting.prefix.length), key)
    },
  }
}

function startsWith(value: Uint8Array, prefix: Buffer): boolean {
  return value.length >= prefix.length && prefix.compare(value, 0, prefix.length) === 0
}
