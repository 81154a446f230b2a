import { newBadRequest } from './api-errors.ts'
import { quote } from './go-text.ts'
import type { GroupVersionKind } from './names.ts'
import type { KubeObject } from './meta.ts'

/** One version of a kind, and its way to and from the hub version that is stored and validated. */
export interface KindRegistration {
  readonly gvk: GroupVersionKind
  /** Same as `gvk` for the hub itself. */
  readonly hub: GroupVersionKind
  /** Fills in what a client may leave out, on the versioned object, in place. */
  readonly setDefaults?: (object: KubeObject) => void
  /** May change and return its argument. Absent: the two forms are the same. */
  readonly toHub?: (object: KubeObject) => KubeObject
  /** Must not change its argument. */
  readonly fromHub?: (object: KubeObject) => KubeObject
  /** Renames a field selector's label of this version to the hub's; undefined refuses it. Absent: name and namespace only. */
  readonly convertFieldLabel?: (label: string) => string | undefined
  /** How a label is refused, for kinds that have words of their own for it. */
  readonly refuseFieldLabel?: FieldLabelRefusal
}

/** What is said of a field label that a kind cannot be selected by. */
export type FieldLabelRefusal = (label: string, gvk: GroupVersionKind) => string

/** Which kinds and versions there are, how they are defaulted and how they convert. Objects carry no kind and apiVersion here. */
export class Scheme {
  readonly #kinds = new Map<string, KindRegistration>()

  register(registration: KindRegistration): void {
    const key = keyOf(registration.gvk)
    if (this.#kinds.has(key)) throw new Error(`kind registered twice: ${key}`)
    this.#kinds.set(key, registration)
  }

  registration(gvk: GroupVersionKind): KindRegistration | undefined {
    return this.#kinds.get(keyOf(gvk))
  }

  hubOf(gvk: GroupVersionKind): GroupVersionKind | undefined {
    return this.#kinds.get(keyOf(gvk))?.hub
  }

  /** Defaults in place. */
  setDefaults(gvk: GroupVersionKind, object: KubeObject): void {
    this.#kinds.get(keyOf(gvk))?.setDefaults?.(object)
  }

  toHub(gvk: GroupVersionKind, object: KubeObject): KubeObject {
    return this.#kinds.get(keyOf(gvk))?.toHub?.(object) ?? object
  }

  fromHub(gvk: GroupVersionKind, object: KubeObject): KubeObject {
    return this.#kinds.get(keyOf(gvk))?.fromHub?.(object) ?? object
  }

  /** A field selector's label of this version as the hub's. Throws BadRequest on one that cannot be selected by. */
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
