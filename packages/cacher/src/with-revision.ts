import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { Revision, StoredObject } from '@keelson/storagebackend'

/** The same bytes under another revision, for DELETED events. */
export function withRevision<T extends KubeObject>(stored: StoredObject<T>, revision: Revision): StoredObject<T> {
  return stored.revision === revision ? stored : new ObjectAtRevision(stored, revision)
}

class ObjectAtRevision<T extends KubeObject> implements StoredObject<T> {
  readonly isStoredObject = true as const
  readonly revision: Revision
  readonly #of: StoredObject<T>

  constructor(of: StoredObject<T>, revision: Revision) {
    this.#of = of
    this.revision = revision
  }

  get key(): string {
    return this.#of.key
  }
  get body(): Uint8Array {
    return this.#of.body
  }
  get spliceAt(): number {
    return this.#of.spliceAt
  }
  get labels(): Readonly<Record<string, string>> | undefined {
    return this.#of.labels
  }
  field(name: string): string {
    return this.#of.field(name)
  }
  object(): DeepReadonly<T> {
    const object = this.#of.object()
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.revision) } }
  }
  copy(): T {
    const object = this.#of.copy()
    object.metadata.resourceVersion = String(this.revision)
    return object
  }
}
