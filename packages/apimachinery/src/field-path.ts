/** The way to a field, as validation errors name it: `spec.containers[0].env[key]`. Immutable. */
export class FieldPath {
  readonly #parent: FieldPath | undefined
  readonly #segment: string

  constructor(segment: string, parent?: FieldPath) {
    this.#segment = segment
    this.#parent = parent
  }

  child(...names: string[]): FieldPath {
    return names.reduce<FieldPath>((path, name) => new FieldPath(path.#isRoot ? name : `.${name}`, path), this)
  }

  get #isRoot(): boolean {
    return this.#parent === undefined && this.#segment === ''
  }

  index(index: number): FieldPath {
    return new FieldPath(`[${index}]`, this)
  }

  key(key: string): FieldPath {
    return new FieldPath(`[${key}]`, this)
  }

  toString(): string {
    let text = this.#segment
    for (let path = this.#parent; path !== undefined; path = path.#parent) text = path.#segment + text
    return text
  }
}

/** `fieldPath('spec', 'template')`; without names the root, whose children start bare. */
export function fieldPath(...names: string[]): FieldPath {
  const [first = '', ...rest] = names
  return new FieldPath(first).child(...rest)
}
