import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { Revision } from './backend.ts'
import { CorruptObjectError } from './errors.ts'
import type { LabelSet } from './label-sets.ts'
import { decodeIndex, type RecordIndex } from './record-format.ts'
import type { StoredObject } from './storage.ts'

/** An opened record. Nothing is decoded before it is needed. */
export class StoredRecord<T extends KubeObject> implements StoredObject<T> {
  readonly key: string
  readonly revision: Revision
  readonly spliceAt: number
  /** Set if it is known. */
  labelSet: LabelSet | undefined
  readonly #value: Buffer
  readonly #bodyAt: number
  readonly #fieldNames: readonly string[]
  #body: Uint8Array | undefined
  #index: RecordIndex | undefined
  /** Weak: a decoded object is several times as large as the record, and most are decoded for one response. */
  #object: WeakRef<DeepReadonly<T>> | undefined

  constructor(key: string, value: Buffer, revision: Revision, fieldNames: readonly string[]) {
    this.key = key
    this.revision = revision
    this.#value = value
    this.#bodyAt = value.readUInt32BE(9)
    this.spliceAt = value.readUInt32BE(13)
    this.#fieldNames = fieldNames
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

  field(name: string): string {
    const at = this.#fieldNames.indexOf(name)
    return at < 0 ? '' : (this.#index ??= decodeIndex(this.#value)).fields[at]!
  }

  object(): DeepReadonly<T> {
    const known = this.#object?.deref()
    if (known !== undefined) return known
    const object = this.copy() as DeepReadonly<T>
    this.#object = new WeakRef(object)
    return object
  }

  copy(): T {
    let object: T
    try {
      object = JSON.parse(this.#value.toString('utf8', this.#bodyAt)) as T
    } catch (cause) {
      throw new CorruptObjectError(`the stored body of ${this.key} is not JSON`, { cause })
    }
    object.metadata.resourceVersion = String(this.revision)
    return object
  }
}
