/** One set of labels, shared by all records that have it, in the encoding of a record's header. */
export interface LabelSet {
  /** The number of labels, and each label's key and value: see `record-format.ts`. */
  readonly bytes: Uint8Array
  /** The last selector and its result: a walk tests every record with the same selector. */
  asked: object | undefined
  answer: boolean
}

/** Beyond this number sets are forgotten and made again; records keep those that they have. */
const limit = 1 << 16

/** Returns the same set for the same bytes. */
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
