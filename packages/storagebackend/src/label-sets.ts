/** The labels of all records that have the same ones, as they stand in a record's header. */
export interface LabelSet {
  /** The number of labels, and each label's key and value: see `record-format.ts`. */
  readonly bytes: Uint8Array
  /** What was last asked of it, and answered: going through a collection asks the same of every record. */
  asked: object | undefined
  answer: boolean
}

/** More are forgotten and made again; records keep those that they have. */
const limit = 1 << 16

/** Makes the same set for the same bytes. */
export class LabelSets {
  readonly #sets = new Map<number, LabelSet>()

  /** `bytes` are copied. */
  of(bytes: Uint8Array): LabelSet {
    const hash = hashOf(bytes)
    const known = this.#sets.get(hash)
    if (known !== undefined && isSame(known.bytes, bytes)) return known
    const made: LabelSet = { bytes: Uint8Array.prototype.slice.call(bytes), asked: undefined, answer: false }
    if (this.#sets.size >= limit) this.#sets.clear()
    this.#sets.set(hash, made)
    return made
  }
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return hash
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
