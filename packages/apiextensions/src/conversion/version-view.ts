import { TimeSlice, copyObject, formatGroupVersion } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { StorageError, readMetadata } from '@keelson/storagebackend'
import type { ObjectCodec, StoredObject } from '@keelson/storagebackend'
import type { ConversionCaller, ConversionInput, ObjectConverter } from './object-converter.ts'

/** An object in the presented version, or the reason why it could not be converted. */
export type Presented<T extends KubeObject> = StoredObject<T> | Error

/** Returns the object. Throws a `StorageError` if it is the error of a conversion. */
export function unwrapConversion<V extends object>(converted: V | Error, key: string): V {
  if (!(converted instanceof Error)) return converted
  throw new StorageError({ code: 'ConversionFailed', key, message: converted.message, cause: converted })
}

/** Converts objects of one storage to and from the version that a `ConvertedStorage` presents. */
export interface VersionView<T extends KubeObject> {
  /**
   * Whether `present` and `toStored` never wait, and labels and selectable fields are the same in the storage. Selectors are then passed to
   * the storage.
   */
  readonly isImmediate: boolean
  /** Encodes objects in the presented version, without writing them to a store. */
  readonly codec: ObjectCodec<T>
  /** Returns stored objects in the presented version, in the same order. */
  present(
    stored: readonly StoredObject<T>[],
    caller: ConversionCaller | undefined,
  ): readonly Presented<T>[] | Promise<readonly Presented<T>[]>
  /** Returns an object of the presented version in the version in which it is stored. Does not change its argument. */
  toStored(object: T, key: string, caller: ConversionCaller | undefined): T | Error | Promise<T | Error>
  /** Returns an object as it would be read after it was stored, for a dry run. Does not change its argument. */
  asRead(object: T, key: string): T | Error | Promise<T | Error>
}

/** The parts of a compiled schema that a conversion needs. */
export interface VersionSchema {
  /** Changes the object in place. */
  prune(object: KubeObject): void
  /** Changes the object in place. */
  setDefaults(object: KubeObject): void
  /** Finds out whether an object that will be stored lacks defaults. kube-apiserver stores it without them, and sets them on read. */
  noteMissingDefaults(object: KubeObject): void
}

interface ViewOptions<T extends KubeObject> {
  /** The codec of the presented version. */
  readonly codec: ObjectCodec<T>
  /** The schema of the presented version. */
  readonly schema: VersionSchema
  /** The schema of the storage version. */
  readonly storageSchema: VersionSchema
}

/**
 * The view of another version of a custom resource without a webhook. All versions have the same fields, except those that the version's
 * schema prunes. Most objects have no such fields, so their bytes are used unchanged.
 */
export class PrunedView<T extends KubeObject> implements VersionView<T> {
  readonly isImmediate = true
  readonly codec: ObjectCodec<T>
  readonly #schema: VersionSchema
  readonly #storageSchema: VersionSchema
  /** Cache of presented objects. An entry lives as long as its stored object. */
  readonly #presented = new WeakMap<StoredObject<T>, StoredObject<T>>()

  constructor({ codec, schema, storageSchema }: ViewOptions<T>) {
    this.codec = codec
    this.#schema = schema
    this.#storageSchema = storageSchema
  }

  present(stored: readonly StoredObject<T>[]): readonly StoredObject<T>[] {
    return stored.map((each) => this.presentOne(each))
  }

  presentOne(stored: StoredObject<T>): StoredObject<T> {
    const existing = this.#presented.get(stored)
    if (existing !== undefined) return existing
    const { key, revision } = stored
    const object = stored.copy()
    this.#schema.prune(object)
    const pruned = this.codec.open(key, this.codec.encode(object, key), revision)
    const presented = Buffer.compare(pruned.body, stored.body) === 0 ? stored : pruned
    this.#presented.set(stored, presented)
    return presented
  }

  toStored(object: T): T {
    const stored = copyObject(object)
    this.#storageSchema.prune(stored)
    this.#storageSchema.noteMissingDefaults(stored)
    return stored
  }

  asRead(object: T): T {
    const stored = this.toStored(object)
    this.#storageSchema.setDefaults(stored)
    this.#schema.prune(stored)
    return stored
  }
}

export interface WebhookViewOptions<T extends KubeObject> extends ViewOptions<T> {
  readonly group: string
  /** The presented version. */
  readonly version: string
  readonly storageVersion: string
  /** All versions of the definition. */
  readonly versions: ReadonlySet<string>
  readonly converter: ObjectConverter
}

interface SingleConversion {
  readonly key: string
  readonly from: string
  readonly to: string
  readonly caller: ConversionCaller | undefined
}

/** The view of a version whose objects a webhook converts. Objects that are stored in this version are presented unchanged. */
export class WebhookView<T extends KubeObject> implements VersionView<T> {
  readonly isImmediate = false
  readonly codec: ObjectCodec<T>
  readonly #options: WebhookViewOptions<T>

  constructor(options: WebhookViewOptions<T>) {
    this.codec = options.codec
    this.#options = options
  }

  present(
    stored: readonly StoredObject<T>[],
    caller: ConversionCaller | undefined,
  ): readonly Presented<T>[] | Promise<readonly Presented<T>[]> {
    return stored.every((each) => this.#getVersion(each) === this.#options.version) ? stored : this.#convert(stored, caller)
  }

  async toStored(object: T, key: string, caller: ConversionCaller | undefined): Promise<T | Error> {
    const { version, storageVersion, storageSchema } = this.#options
    if (version === storageVersion) return object
    const converted = await this.#convertOne(object, { key, from: version, to: storageVersion, caller })
    if (converted instanceof Error) return converted
    storageSchema.prune(converted)
    storageSchema.noteMissingDefaults(converted)
    return converted
  }

  async asRead(object: T, key: string): Promise<T | Error> {
    const { version, storageVersion, schema, storageSchema } = this.#options
    const stored = version === storageVersion ? copyObject(object) : await this.toStored(object, key, undefined)
    if (stored instanceof Error) return stored
    storageSchema.setDefaults(stored)
    if (version === storageVersion) return stored
    const read = await this.#convertOne(stored, { key, from: storageVersion, to: version, caller: undefined })
    if (!(read instanceof Error)) schema.prune(read)
    return read
  }

  async #convertOne(object: T, { key, from, to, caller }: SingleConversion): Promise<T | Error> {
    const { codec, converter } = this.#options
    const { body } = codec.open(key, codec.encode(object, key), 0)
    const input: ConversionInput = { version: from, body, metadata: () => copyObject(object.metadata) }
    const [converted] = await converter.convert([input], to, caller)
    return (converted as T | Error | undefined) ?? new Error('the object was not converted')
  }

  async #convert(stored: readonly StoredObject<T>[], caller: ConversionCaller | undefined): Promise<readonly Presented<T>[]> {
    const { codec, group, version, versions, schema, converter } = this.#options
    const due = stored.filter((each) => this.#getVersion(each) !== version && versions.has(this.#getVersion(each)))
    const inputs = due.map((each): ConversionInput => ({
      version: this.#getVersion(each),
      body: each.body,
      metadata: () => readMetadata(each),
    }))
    const converted = (await converter.convert(inputs, version, caller))[Symbol.iterator]()
    const slice = new TimeSlice()
    const presented: Presented<T>[] = []
    for (const each of stored) {
      const from = this.#getVersion(each)
      if (from === version) presented.push(each)
      else if (!versions.has(from)) {
        presented.push(new Error(`request to convert CR from an invalid group/version: ${formatGroupVersion({ group, version: from })}`))
      } else {
        const object = converted.next().value as KubeObject | Error
        if (object instanceof Error) presented.push(object)
        else {
          schema.prune(object)
          presented.push(codec.open(each.key, codec.encode(object as T, each.key), each.revision))
        }
      }
      const pause = slice.pauseIfOver()
      if (pause) await pause
    }
    return presented
  }

  #getVersion({ storedVersion }: StoredObject<T>): string {
    return storedVersion ?? this.#options.storageVersion
  }
}
