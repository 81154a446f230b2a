import type { Call, Comprehension, Constant, Expr } from '../ast.ts'
import { operators } from '../operators.ts'
import type { Copier } from './copier.ts'

export interface Macro {
  readonly name: string
  readonly argCount: number
  readonly hasTarget: boolean
  /** Returns the expansion of a call; undefined to leave the call as it is. Throws `MacroError` for invalid arguments. */
  expand(call: Call, copier: Copier): Expr | undefined
}

/** The error of a macro call with invalid arguments. */
export class MacroError extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/**
 * Name of the accumulator variable in macro expansions. "@" is not allowed in identifiers, so the name cannot collide with a user's
 * variable.
 */
export const accumulator = '@result'
const unused = '#unused'
const accumulators: ReadonlySet<string> = new Set([accumulator, '__result__'])

/** Builds the nodes of a macro expansion. All nodes have the position of the macro call. */
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

  /** Returns an expression that is `then` if the filter is true, and otherwise the accumulator. */
  when(filter: Expr | undefined, then: Expr): Expr {
    return filter === undefined ? then : this.call(operators.conditional, filter, then, this.ident(accumulator))
  }

  fold(members: Omit<Comprehension, 'kind' | 'offset' | 'accumulator'>): Expr {
    return { kind: 'comprehension', accumulator, ...members, offset: this.#call.offset }
  }

  /** Returns an expression that binds `value` to a name within `result`. It is a comprehension without iterations. */
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

/** Returns the variable name in an argument of a macro. Throws `MacroError` if the argument is not a valid name. */
export function readVariable(argument: Expr, message: string): string {
  const name = readName(argument, message)
  checkVariable(name, argument)
  return name
}

export function readName(argument: Expr, message: string): string {
  if (argument.kind !== 'ident') throw new MacroError(argument.offset, message)
  return argument.name
}

export function checkVariable(name: string, { offset }: Expr): void {
  if (accumulators.has(name)) throw new MacroError(offset, 'iteration variable overwrites accumulator variable')
}
