import { newBadRequest } from './api-errors.ts'
import { quote } from './go-text.ts'
import type { GroupVersionKind } from './names.ts'
import type { KubeObject } from './meta.ts'

/**
 * One version of a kind, with its defaults and its conversions. All versions convert to and from one hub version, which the server validates and
 * stores.
 */
export interface KindRegistration {
  readonly gvk: GroupVersionKind
  /** The hub version of the kind. Equals `gvk` in the registration of the hub version. */
  readonly hub: GroupVersionKind
  /** Sets the defaults of an object of this version in place. */
  readonly setDefaults?: (object: KubeObject) => void
  /** Converts an object to the hub version. May modify and return its argument. Absent if the two versions do not differ. */
  readonly toHub?: (object: KubeObject) => KubeObject
  /** Converts an object from the hub version. Must not modify its argument. */
  readonly fromHub?: (object: KubeObject) => KubeObject
  /**
   * Converts a field label of this version to a label of the hub version. Returns undefined for an unsupported label. By default, only the labels
   * of name and namespace are supported.
   */
  readonly convertFieldLabel?: (label: string) => string | undefined
  /** Builds the error message for an unsupported field label, if the kind has a message of its own. */
  readonly refuseFieldLabel?: FieldLabelMessage
}

/** Builds the error message for an unsupported field label. */
export type FieldLabelMessage = (label: string, gvk: GroupVersionKind) => string

/** A registry of kinds with the defaults and conversions of each version. The objects have no kind and apiVersion. */
export class Scheme {
  readonly #kinds = new Map<string, KindRegistration>()

  /** Adds a version of a kind. Returns a function that removes it. Throws if it is already registered. */
  register(registration: KindRegistration): () => void {
    const key = formatKey(registration.gvk)
    if (this.#kinds.has(key)) throw new Error(`kind registered twice: ${key}`)
    this.#kinds.set(key, registration)
    return () => {
      if (this.#kinds.get(key) === registration) this.#kinds.delete(key)
    }
  }

  registration(gvk: GroupVersionKind): KindRegistration | undefined {
    return this.#kinds.get(formatKey(gvk))
  }

  findHub(gvk: GroupVersionKind): GroupVersionKind | undefined {
    return this.#kinds.get(formatKey(gvk))?.hub
  }

  /** Sets the defaults of an object in place. */
  setDefaults(gvk: GroupVersionKind, object: KubeObject): void {
    this.#kinds.get(formatKey(gvk))?.setDefaults?.(object)
  }

  toHub(gvk: GroupVersionKind, object: KubeObject): KubeObject {
    return this.#kinds.get(formatKey(gvk))?.toHub?.(object) ?? object
  }

  fromHub(gvk: GroupVersionKind, object: KubeObject): KubeObject {
    return this.#kinds.get(formatKey(gvk))?.fromHub?.(object) ?? object
  }

  /** Converts a field label of this version to a label of the hub version. Throws BadRequest for an unsupported label. */
  convertFieldLabel(gvk: GroupVersionKind, label: string): string {
    const { convertFieldLabel: convert, refuseFieldLabel } = this.#kinds.get(formatKey(gvk)) ?? {}
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

function formatKey(gvk: GroupVersionKind): string {
  return `${gvk.group}/${gvk.version}/${gvk.kind}`
}
