import { aggregateMessages } from '@keelson/apimachinery'
import type { PlainValue, ValueTransformer } from './value-transformer.ts'

/** A transformer, and what its values begin with in the store. It never sees the prefix itself. */
export interface PrefixedTransformer {
  /** "" is before every value: values as they are. */
  readonly prefix: string
  readonly transformer: ValueTransformer
}

interface Candidate {
  readonly prefix: Buffer
  readonly transformer: ValueTransformer
}

/**
 * Several transformers as one: the first writes, all read. Every one whose prefix fits is tried in order, for two providers may have the
 * same prefix and different keys. What was not read by the first is stale. `nothingFits` is the error for a value that none is for.
 */
export function createPrefixTransformer(transformers: readonly PrefixedTransformer[], nothingFits: string): ValueTransformer {
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
        // Without a prefix it is not said to be its value: that it cannot read it means nothing.
        if (candidate.prefix.length > 0) failures.push(error as Error)
      }
    }
    if (failures.length === 0) throw new Error(nothingFits)
    if (failures.length === 1) throw failures[0]!
    throw new AggregateError(failures, aggregateMessages(failures.map((failure) => failure.message)))
  }

  function toStorage(data: Uint8Array, key: string): Uint8Array {
    const value = first!.transformer.toStorage(data, key)
    return first!.prefix.length === 0 ? value : Buffer.concat([first!.prefix, value])
  }

  if (!candidates.some(({ transformer }) => transformer.prepare)) return { fromStorage, toStorage }
  return {
    fromStorage,
    toStorage,
    /** In the order of `fromStorage`: what an earlier one can read at once needs nothing from a later one. */
    prepare(stored, key) {
      const waits: Promise<void>[] = []
      for (const { prefix, transformer } of candidates) {
        if (!startsWith(stored, prefix)) continue
        const wait = transformer.prepare?.(stored.subarray(prefix.length), key)
        if (wait) waits.push(wait)
        else if (prefix.length > 0) return undefined
      }
      return waits.length === 0 ? undefined : firstOf(waits)
    },
  }
}

/** One of them suffices; what all of them said is told when none succeeds. */
async function firstOf(waits: readonly Promise<void>[]): Promise<void> {
  if (waits.length === 1) return waits[0]
  try {
    await Promise.any(waits)
  } catch (error) {
    const messages = (error as AggregateError).errors.map((failure: Error) => failure.message)
    throw new AggregateError((error as AggregateError).errors, aggregateMessages(messages))
  }
}

function startsWith(value: Uint8Array, prefix: Buffer): boolean {
  return value.length >= prefix.length && prefix.compare(value, 0, prefix.length) === 0
}
