import type { Range } from './range.ts'

/** Size ranges of a map's keys and values, or of a list's elements. */
export interface EntrySize {
  readonly kind: 'list' | 'map'
  readonly key: Range
  readonly value: Range
}

export interface LocalVariable {
  readonly path: readonly string[]
  readonly size: Range | undefined
  readonly entries: EntrySize | undefined
}

/** The variables that macros bind. Inner variables shadow outer ones. */
export class LocalVariables {
  readonly #stacks = new Map<string, LocalVariable[]>()

  push(name: string, variable: LocalVariable): void {
    const stack = this.#stacks.get(name) ?? []
    this.#stacks.set(name, stack)
    stack.push(variable)
  }

  pop(name: string): void {
    this.#stacks.get(name)?.pop()
  }

  find(name: string): LocalVariable | undefined {
    return this.#stacks.get(name)?.at(-1)
  }
}
