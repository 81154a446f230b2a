/**
 * A value of a Go type that has no JSON form. Expressions of policies can put one into a configuration. It matches no type, and error messages
 * show it as Go prints it.
 */
export class GoValue {
  readonly type: string
  /** The value as printed by `%v`. */
  readonly text: string
  /** The value as printed by `%#v`. */
  readonly syntax: string

  constructor(type: string, text: string, syntax: string) {
    this.type = type
    this.text = text
    this.syntax = syntax
  }
}
