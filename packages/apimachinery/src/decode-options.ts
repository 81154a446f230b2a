/** The `fieldValidation` of a request. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore'

export interface DecodeOptions {
  /** Strict and Warn collect unknown and duplicate fields in `strictErrors`; Ignore (the default) does not look. */
  readonly strict?: FieldValidation
}

export interface Decoded<T> {
  readonly object: T
  /** `unknown field "spec.foo"`, `duplicate field "metadata.name"`: in document order, without repetition, 100 at the most. */
  readonly strictErrors: readonly string[]
}
