import { parseStoredJson } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, ObjectMeta } from '@keelson/apimachinery'
import type { Revision } from './backend.ts'
import { CorruptObjectError } from './errors.ts'
import type { LabelSet } from './record-matcher.ts'
import { decodeAround, findLargeStructs } from './large-members.ts'
import type { LargeMember, LargeStructs } from './large-members.ts'
import { decodeIndex } from './record-format.ts'
import type { RecordIndex } from './record-format.ts'
import type { StoredObject } from './storage.ts'
import { readMetadata } from './metadata-slice.ts'
import type { MetadataSpan } from './metadata-slice.ts'

/** Returns true for a `StoredObject` of any implementation, even if another copy of this package created it. */
export function isStoredObject(value: unknown): value is StoredObject {
  return typeof value === 'object' && value !== null && (value as { isStoredObject?: unknown }).isStoredObject === true
}

/** The properties that all records of one codec share. */
export interface RecordLayout {
  /** The names of the selectable fields, in the order of their values in the header. */
  readonly fieldNames: readonly string[]
  /** See `StoredObject.storedVersion`. */
  readonly storedVersion: string | undefined
  readonly largeMember: LargeMember | undefined
  /** See `RecordCodecOptions.parseExactly`. */
  readonly parseExactly: ((text: string) => object) | undefined
}

/** A stored object that decodes its parts on first use. */
export class StoredRecord<T extends KubeObject> implements StoredObject<T> {
  readonly key: string
  readonly revision: Revision
  readonly spliceAt: number
  /** The label set of the record, if it has been computed. */
  labelSet: LabelSet | undefined
  readonly #value: Buffer
  readonly #bodyAt: number
  readonly layout: RecordLayout
  #body: Uint8Array | undefined
  #index: RecordIndex | undefined
  /** The structs that all decoded copies share, so that the structs of two copies are the same values. */
  #structs: WeakRef<LargeStructs> | undefined
  /**
   * The decoded object. The reference is weak, because the decoded object is several times as large as the record, and most objects are
   * decoded for only one response.
   */
  #object: WeakRef<DeepReadonly<T>> | undefined

  constructor(key: string, value: Buffer, revision: Revision, layout: RecordLayout) {
    this.key = key
    this.revision = revision
    this.#value = value
    this.#bodyAt = value.readUInt32BE(9)
    this.spliceAt = value.readUInt32BE(13)
    this.layout = layout
  }

  get isStoredObject(): true {
    return true
  }

  get body(): Uint8Array {
    return (this.#body ??= this.#value.subarray(this.#bodyAt))
  }

  get labels(): Readonly<Record<string, string>> | undefined {
    return (this.#index ??= decodeIndex(this.#value)).labels
  }

  get storedVersion(): string | undefined {
    return this.layout.storedVersion
  }

  field(name: string): string {
    const at = this.layout.fieldNames.indexOf(name)
    return at < 0 ? '' : (this.#index ??= decodeIndex(this.#value)).fields[at]!
  }

  object(): DeepReadonly<T> {
    const cached = this.#object?.deref()
    if (cached !== undefined) return cached
    const object = this.copy() as DeepReadonly<T>
    this.#object = new WeakRef(object)
    return object
  }

  copy(): T {
    let object: T
    try {
      object = this.#decode()
    } catch (cause) {
      throw new CorruptObjectError(`the stored body of ${this.key} is not JSON`, { cause })
    }
    object.metadata.resourceVersion = String(this.revision)
    return object
  }

  /** Returns the same object under another revision. */
  at(revision: Revision): StoredRecord<T> {
    return new StoredRecord<T>(this.key, this.#value, revision, this.layout)
  }

  #decode(): T {
    const { largeMember } = this.layout
    const object = largeMember && decodeAround<T>(this.body, largeMember, this.#findStructs(largeMember))
    if (object !== undefined) return object
    return parseStoredJson<T>(this.#value.toString('utf8', this.#bodyAt), this.layout.parseExactly)
  }

  #findStructs(member: LargeMember): LargeStructs {
    const knownLargeStructs = this.#structs?.deref()
    if (knownLargeStructs !== undefined) return knownLargeStructs
    const structs = findLargeStructs(this.body, member)
    this.#structs = new WeakRef(structs)
    return structs
  }
}

/**
 * Returns a decoded copy of an object, whose annotations and managed fields are decoded on first use. Before that, they are not own keys of
 * the metadata. They are often most of the stored bytes, and callers that print a few fields of many objects rarely need them.
 */
export function copyLazily<T extends KubeObject>(stored: StoredObject<T>, span: MetadataSpan | undefined): DeepReadonly<T> {
  const object = span === undefined || span.firstAt === 0 ? undefined : withoutLarge<T>(stored.body, span)
  if (object === undefined) return stored.copy() as DeepReadonly<T>
  // Decoding found annotations or managed fields that `span` does not cover, for example because the value is null or the key is escaped.
  // Decode the whole object instead.
  if (object.metadata.annotations !== undefined || object.metadata.managedFields !== undefined) return stored.copy() as DeepReadonly<T>
  object.metadata.resourceVersion = String(stored.revision)
  object.metadata = Object.assign(new LateMetadata(stored), object.metadata)
  return object as DeepReadonly<T>
}

class LateMetadata {
  readonly #stored: StoredObject
  #metadata: ObjectMeta | undefined

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
    return (this.#metadata ??= readMetadata(this.#stored))
  }
}

/**
 * Decodes the body without its large members. Returns undefined if the rest is not JSON. Decoding the whole object then reports the error.
 */
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

/** A buffer that all calls share. That is safe because there is no `await` between writing to it and reading from it. */
const scratch = Buffer.allocUnsafe(64 * 1024)
