/** The path of a field in validation errors: `spec.containers[0].env[key]`. Immutable. Formatted on demand. */
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

  /**
   * Returns the path of a child or deeper descendant. No rest parameter: validation builds hundreds of paths per object, mostly of one
   * step.
   */
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

/** `fieldPath('spec', 'template')`. Without names, the root, whose children have no leading dot. */
export function fieldPath(first = '', ...rest: string[]): FieldPath {
  let path = new FieldPath(first)
  for (const name of rest) path = new FieldPath(name, path)
  return path
}

/** kube-apiserver's name for an unnamed object: "[]". Paths below it do not include it. */
export const unnamedPath: FieldPath = new FieldPath('', undefined, true)
