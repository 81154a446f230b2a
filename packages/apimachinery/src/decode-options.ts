/** The `fieldValidation` of a request. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore'

export interface DecodeOptions {
  /** Strict and Warn collect unknown and duplicate fields in `strictErrors`; Ignore (the default) does not look. */
  readonly strict?: FieldValidation
  /** `kind` and `apiVersion` of the outermost object are checked and dropped unless this says to keep them. */
  readonly keepTypeMeta?: boolean
  /**
   * Lists that JSON always writes are null when they are sent empty, because the stored form cannot tell. Set for kinds that are never stored
   * (reviews): they answer with what was sent.
   */
  readonly keepEmptyLists?: boolean
  /** What does not fit is told in the words of the original's converter of decoded objects, not in those of its JSON decoder. */
  readonly converting?: boolean
  /** Nobody else holds the input: what is canonical in it already becomes part of the result instead of being copied. */
  readonly owned?: boolean
}

export interface Decoded<T> {
  readonly object: T
  /** `unknown field "spec.foo"`, `duplicate field "metadata.name"`: in document order, without repetition, 100 at the most. */
  readonly strictErrors: readonly string[]
  /** True: a list, or a map in a list, was sent empty, and is null or left out now (see `keepEmptyLists`). */
  readonly emptied?: boolean
}
