import { aggregateMessages } from '@keelson/apimachinery'
import type { GroupResource } from '@keelson/apimachinery'

/** A decrypted value, with the result of checking its key. */
export interface PlainValue {
  /** The decrypted bytes. They may be a view into the stored bytes and must not be changed. */
  readonly data: Uint8Array
  /**
   * Whether the transformer would now write the value differently, for example with another key or provider. An update then writes the
   * value even if the object is unchanged.
   */
  readonly stale: boolean
}

/**
 * Encrypts encoded objects before they are stored, and decrypts stored values. The storage key is used as authenticated data, so
 * transformers that authenticate refuse a value that was moved to another key. Transforming a value is synchronous, because iterating over
 * a list cannot wait. Only `prepare` may wait, for example until a key service has unwrapped an encryption key. That happens once per
 * encryption key, not once per value.
 */
export interface ValueTransformer {
  /** Decrypts a value. Throws if the value cannot be decrypted, or if `prepare` would have to wait first. */
  fromStorage(stored: Uint8Array, key: string): PlainValue
  /**
   * Encrypts a value. Returns new bytes that the caller may change. Throws if encryption is not possible now, for example because the key
   * service does not respond.
   */
  toStorage(data: Uint8Array, key: string): Uint8Array
  /**
   * Prepares the decryption of a value. Returns undefined if `fromStorage` can decrypt the value now, which is nearly always so. Otherwise
   * returns a promise. When it resolves, call `prepare` again, because the transformer may have been replaced in the meantime. The promise
   * rejects if the value cannot be decrypted. Absent: the transformer never has to wait.
   */
  prepare?(stored: Uint8Array, key: string): Promise<void> | undefined
}

/** The transformers of all resources. */
export interface ResourceTransformers {
  /** Returns the transformer of a resource, or undefined if its values are stored unencrypted. */
  findTransformer(resource: GroupResource): ValueTransformer | undefined
}

/**
 * The first bytes of every encrypted value. Unencrypted values start differently: JSON with "{", protobuf with "k8s" and a zero byte, and a
 * record with the byte 1.
 */
const encryptedPrefix = Buffer.from('k8s:enc:')

/** Returns whether a stored value is encrypted. */
export function isEncryptedValue(stored: Uint8Array): boolean {
  return stored.length >= encryptedPrefix.length && encryptedPrefix.compare(stored, 0, encryptedPrefix.length) === 0
}

/** The error text for an encrypted value if no encryption is configured. */
export const encryptedUnexpectedly = 'identity transformer tried to read encrypted data'

/** A transformer, and the prefix of its values in the store. The prefix is removed before the transformer gets a value. */
export interface PrefixedTransformer {
  /** The prefix of stored values, or "" to store values without a prefix. */
  readonly prefix: string
  readonly transformer: ValueTransformer
}

interface Candidate {
  readonly prefix: Buffer
  readonly transformer: ValueTransformer
}

/**
 * Combines several transformers. The first one writes, and all of them read. Every transformer with a matching prefix is tried in order,
 * because two providers may have the same prefix and different keys. A value is stale if another transformer than the first one read it.
 * `noMatch` is the error text for a value without a matching prefix.
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
        const { data: opened, stale } = candidate.transformer.fromStorage(stored.subarray(candidate.prefix.length), key)
        return { data: opened, stale: stale || candidate !== first }
      } catch (error) {
        // Ignore the error of a transformer without a prefix, because it is tried for every value.
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
    /** Prepare only the first matching transformer. Transformers that may have to wait have a unique prefix, so no other one matches. */
    prepare(stored, key) {
      const fitting = candidates.find(({ prefix }) => prefix.length > 0 && startsWith(stored, prefix))
      return fitting?.transformer.prepare?.(stored.subarray(fitting.prefix.length), key)
    },
  }
}

function startsWith(value: Uint8Array, prefix: Buffer): boolean {
  return value.length >= prefix.length && prefix.compare(value, 0, prefix.length) === 0
}
