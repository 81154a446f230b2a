/** The `fieldValidation` of a request. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore'

export interface DecodeOptions {
  /** Strict and Warn collect unknown and duplicate fields in `strictErrors`; Ignore (the default) does not check. */
  readonly strict?: FieldValidation
  /** Keeps `kind` and `apiVersion` of the outermost object. By default they are checked and dropped. */
  readonly keepTypeMeta?: boolean
  /**
   * Keeps empty lists that storage would normalize to null. Set for kinds that are never stored (reviews): responses repeat what was sent.
   */
  readonly keepEmptyLists?: boolean
  /** Reports type mismatches as upstream's converter of unstructured objects does, instead of its JSON decoder. */
  readonly converting?: boolean
  /** The caller gives up the input: canonical parts become part of the result instead of being copied. */
  readonly owned?: boolean
}

export interface Decoded<T> {
  readonly object: T
  /** `unknown field "spec.foo"`, `duplicate field "metadata.name"`: in document order, deduplicated, at most 100. */
  readonly strictErrors: readonly string[]
  /** True if an empty list, or an empty map in a list, was sent and is now null or omitted (see `keepEmptyLists`). */
  readonly emptied?: boolean
}
