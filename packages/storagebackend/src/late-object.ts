import type { DeepReadonly, KubeObject, ObjectMeta } from '@keelson/apimachinery'
import { readMetadata } from './metadata-slice.ts'
import type { MetadataSpan } from './metadata-slice.ts'
import type { StoredObject } from './storage.ts'

/**
 * A decoded copy for the caller whose annotations and managed fields are decoded on first use; until then they are not own keys of the metadata.
 * They are often most of the stored bytes, and callers that print a few members of many objects seldom need them.
 */
export function lateObject<T extends KubeObject>(stored: StoredObject<T>, span: MetadataSpan | undefined): DeepReadonly<T> {
  const object = span === undefined || span.firstAt === 0 ? undefined : withoutLarge<T>(stored.body, span)
  if (object === undefined) return stored.copy() as DeepReadonly<T>
  // Written differently than stored bodies: null, or with an escaped key.
  if (object.metadata.annotations !== undefined || object.metadata.managedFields !== undefined) return stored.copy() as DeepReadonly<T>
  object.metadata.resourceVersion = String(stored.revision)
  object.metadata = Object.assign(new LateMetadata(stored), object.metadata)
  return object as DeepReadonly<T>
}

class LateMetadata {
  readonly #stored: StoredObject
  #whole: ObjectMeta | undefined

  constructor(stored: StoredObject) {
    this.#stored = stored
  }

  get annotations(): ObjectMeta['annotations'] {
    return this.#decoded.annotations
  }

  get managedFields(): ObjectMeta['managedFields'] {
    return this.#decoded.managedFields
  }

  get #decoded(): ObjectMeta {
    return (this.#whole ??= readMetadata(this.#stored))
  }
}

/** Undefined if it is not JSON: decoding the whole object then reports the error. */
function withoutLarge<T>(body: Uint8Array, { firstAt, firstEnd, secondAt, secondEnd }: MetadataSpan): T | undefined {
  const target = body.length > scratch.length ? Buffer.allocUnsafe(body.length) : scratch
  let length = append(target, 0, body.subarray(0, firstAt))
  if (secondAt > 0) length = append(target, length, body.subarray(firstEnd, secondAt))
  length = append(target, length, body.subarray(secondAt > 0 ? secondEnd : firstEnd))
  try {
    return JSON.parse(target.toString('utf8', 0, length)) as T
  } catch {
    return undefined
  }
}

function append(target: Buffer, length: number, bytes: Uint8Array): number {
  target.set(bytes, length)
  return length + bytes.length
}

/** Written and read without an await in between. */
const scratch = Buffer.allocUnsafe(64 * 1024)
