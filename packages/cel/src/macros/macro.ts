import type { Call, Comprehension, Constant, Expr } from '../ast.ts'
import { operators } from '../operators.ts'
import type { Copier } from './copier.ts'

export interface Macro {
  readonly name: string
  readonly argCount: number
  readonly hasTarget: boolean
  /** Returns undefined to leave the call unexpanded. Throws `MacroError`. */
  expand(call: Call, copier: Copier): Expr | undefined
}

/** The call has a macro's name but invalid arguments. */
export class MacroError extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** Not expressible as an identifier in an expression. */
export const accumulator = '@result'
const unused = '#unused'
const accumulators: ReadonlySet<string> = new Set([accumulator, '__result__'])

/** Builds the nodes of a macro expansion, all at the position of the call. */
export class Expansion {
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
  }

  constant(constant: Constant): Expr {
    return { kind: 'literal', constant, offset: this.#call.offset }
  }

  bool(value: boolean): Expr {
    return this.constant({ type: 'bool', value })
  }

  int(value: bigint): Expr {
    return this.constant({ type: 'int', value })
  }

  ident(name: string): Expr {
    return { kind: 'ident', name, offset: this.#call.offset }
  }

  list(...elements: readonly Expr[]): Expr {
    return { kind: 'list', elements, optional: new Set(), offset: this.#call.offset }
  }

  emptyMap(): Expr {
    return { kind: 'map', entries: [], offset: this.#call.offset }
  }

  call(name: string, ...args: readonly Expr[]): Expr {
    return { kind: 'call', name, args, offset: this.#call.offset }
  }

  method(name: string, target: Expr, ...args: readonly Expr[]): Expr {
    return { kind: 'call', name, target, args, offset: this.#call.offset }
  }

  /** Returns `then` if the filter holds, or the accumulator unchanged. */
  when(filter: Expr | undefined, then: Expr): Expr {
    return filter === undefined ? then : this.call(operators.conditional, filter, then, this.ident(accumulator))
  }

  fold(parts: Omit<Comprehension, 'kind' | 'offset' | 'accumulator'>): Expr {
    return { kind: 'comprehension', accumulator, ...parts, offset: this.#call.offset }
  }

  /** Binds `value` to a name within `result`, as a fold over nothing. */
  bind(name: string, value: Expr, result: Expr): Expr {
    return {
      kind: 'comprehension',
      range: this.list(),
      variable: unused,
      accumulator: name,
      init: value,
      condition: this.bool(false),
      step: this.ident(name),
      result,
      offset: this.#call.offset,
    }
  }
}

/** Returns the variable name of a macro. */
export function variableOf(argument: Expr, message: string): string {
  const name = nameOf(argument, message)
  checkVariable(name, argument)
  return name
}

export function nameOf(argument: Expr, message: string): string {
  if (argument.kind !== 'ident') throw new MacroError(argument.offset, message)
  return argument.name
}

export function checkVariable(name: string, { offset }: Expr): void {
  if (accumulators.has(name)) throw new MacroError(offset, 'iteration variable overwrites accumulator variable')
}
