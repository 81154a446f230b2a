import { newBadRequest } from './api-errors.ts'
import { quote } from './go-text.ts'
import type { GroupVersionKind } from './names.ts'
import type { KubeObject } from './meta.ts'

/** One version of a kind, with conversions to and from the hub version. The hub version is stored and validated. */
export interface KindRegistration {
  readonly gvk: GroupVersionKind
  /** Equals `gvk` for the hub version. */
  readonly hub: GroupVersionKind
  /** Sets defaults on the versioned object in place. */
  readonly setDefaults?: (object: KubeObject) => void
  /** Converts to the hub version. May modify and return its argument. Absent if both versions are equal. */
  readonly toHub?: (object: KubeObject) => KubeObject
  /** Converts from the hub version. Must not modify its argument. */
  readonly fromHub?: (object: KubeObject) => KubeObject
  /** Converts a field label of this version to the hub's; undefined if it is not supported. Default: name and namespace only. */
  readonly convertFieldLabel?: (label: string) => string | undefined
  /** Builds the error for an unsupported label, for kinds with a message of their own. */
  readonly refuseFieldLabel?: FieldLabelRefusal
}

/** Builds the error message for an unsupported field label. */
export type FieldLabelRefusal = (label: string, gvk: GroupVersionKind) => string

/** A registry of kinds and versions with their defaults and conversions. Objects have no kind and apiVersion here. */
export class Scheme {
  readonly #kinds = new Map<string, KindRegistration>()

  /** Returns a function that removes the kind. Throws for a kind that is registered already. */
  register(registration: KindRegistration): () => void {
    const key = keyOf(registration.gvk)
    if (this.#kinds.has(key)) throw new Error(`kind registered twice: ${key}`)
    this.#kinds.set(key, registration)
    return () => {
      if (this.#kinds.get(key) === registration) this.#kinds.delete(key)
    }
  }

  registration(gvk: GroupVersionKind): KindRegistration | undefined {
    return this.#kinds.get(keyOf(gvk))
  }

  hubOf(gvk: GroupVersionKind): GroupVersionKind | undefined {
    return this.#kinds.get(keyOf(gvk))?.hub
  }

  /** Sets defaults in place. */
  setDefaults(gvk: GroupVersionKind, object: KubeObject): void {
    this.#kinds.get(keyOf(gvk))?.setDefaults?.(object)
  }

  toHub(gvk: GroupVersionKind, object: KubeObject): KubeObject {
    return this.#kinds.get(keyOf(gvk))?.toHub?.(object) ?? object
  }

  fromHub(gvk: GroupVersionKind, object: KubeObject): KubeObject {
    return this.#kinds.get(keyOf(gvk))?.fromHub?.(object) ?? object
  }

  /** Converts a field label of this version to the hub's. Throws BadRequest if it is not supported. */
  convertFieldLabel(gvk: GroupVersionKind, label: string): string {
    const { convertFieldLabel: convert, refuseFieldLabel } = this.#kinds.get(keyOf(gvk)) ?? {}
    if (convert === undefined) {
      if (defaultFieldLabels.includes(label)) return label
      throw newBadRequest(`${quote(label)} is not a known field selector: only ${defaultFieldLabels.map(quote).join(', ')}`)
    }
    const converted = convert(label)
    if (converted === undefined) throw newBadRequest(refuseFieldLabel?.(label, gvk) ?? `field label not supported: ${label}`)
    return converted
  }

  kinds(): Iterable<KindRegistration> {
    return this.#kinds.values()
  }
}

const defaultFieldLabels: readonly string[] = ['metadata.name', 'metadata.namespace']

function keyOf(gvk: GroupVersionKind): string {
  return `${gvk.group}/${gvk.version}/${gvk.kind}`
}
