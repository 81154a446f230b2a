/** The way to a field, as validation errors name it: `spec.containers[0].env[key]`. Immutable. Nothing is spelled out before it is asked for. */
export class FieldPath {
  readonly #parent: FieldPath | undefined
  /** A field's name, unless `#bracketed`. */
  readonly #step: string | number
  readonly #bracketed: boolean

  constructor(step: string | number, parent?: FieldPath, bracketed = false) {
    this.#step = step
    this.#parent = parent
    this.#bracketed = bracketed
  }

  /** Of a child, or of a child's child. Not with a rest parameter: validation makes hundreds of paths for each object, and nearly all are of one step. */
  child(name: string, second?: string, third?: string): FieldPath {
    const path = new FieldPath(name, this)
    if (second === undefined) return path
    const below = new FieldPath(second, path)
    return third === undefined ? below : new FieldPath(third, below)
  }

  index(index: number): FieldPath {
    return new FieldPath(index, this, true)
  }

  key(key: string): FieldPath {
    return new FieldPath(key, this, true)
  }

  toString(): string {
    let text = this.#text
    for (let path = this.#parent; path !== undefined; path = path.#parent) text = path.#text + text
    return text
  }

  get #text(): string {
    if (this.#bracketed) return `[${this.#step}]`
    const atRoot = this.#parent === undefined || (this.#parent.#parent === undefined && this.#parent.#step === '')
    return atRoot ? String(this.#step) : `.${this.#step}`
  }
}

/** `fieldPath('spec', 'template')`; without names the root, whose children start bare. */
export function fieldPath(first = '', ...rest: string[]): FieldPath {
  let path = new FieldPath(first)
  for (const name of rest) path = new FieldPath(name, path)
  return path
}

/** What the original calls the object itself where it has no name for it: "[]". Nothing below it is told by it. */
export const unnamedPath: FieldPath = new FieldPath('', undefined, true)
