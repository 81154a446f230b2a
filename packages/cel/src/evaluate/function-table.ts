import type { Call, Expr } from '../ast.ts'
import type { Compiled } from '../compile.ts'
import type { Value } from '../values/value.ts'
import type { Implementation } from '../functions/implementation.ts'
import { implementations } from '../functions/index.ts'
import { sharedImplementations } from '../functions/operators.ts'
import { searchFor } from '../functions/regular-expressions.ts'
import { BoundOverload, dispatch } from './calls.ts'
import { getCallCost } from './runtime-cost.ts'
import type { CallCost } from './runtime-cost.ts'

/** The implementation of a call, chosen as far as the argument types are known before evaluation. */
export interface ResolvedCall {
  readonly name: string
  /** Arguments of the call. For a member call, the receiver is the first one. */
  readonly args: readonly Expr[]
  readonly implementation: Implementation
  readonly cost: { readonly overload: string; readonly charge: CallCost }
  /** Whether arguments after an error are not evaluated. For calls with two arguments, cel-go usually evaluates both. */
  readonly stopsAtError: boolean
}

/** Overloads with two arguments that cel-go calls through its interface for three or more arguments. */
const variadic: ReadonlySet<string> = new Set(['string_format'])
const searches: ReadonlySet<string> = new Set(['find', 'findAll', 'matches'])

/** Finds the implementations of calls. */
export class FunctionTable {
  readonly #compiled: Compiled

  constructor(compiled: Compiled) {
    this.#compiled = compiled
  }

  /** Returns the implementation of a call. `pattern` is the value of the second argument if it is constant. */
  get(call: Call, pattern?: Value): ResolvedCall {
    const reference = this.#compiled.references.get(call)
    if (reference?.kind !== 'function') throw new TypeError(`the call of ${call.name} is not resolved`)
    const args = reference.isMember ? [call.target!, ...call.args] : call.args
    const { name } = reference
    const overload = reference.overloads.length === 1 ? reference.overloads[0]! : ''
    const cost = { overload, charge: getCallCost(name, overload) }
    if (searches.has(name) && typeof pattern === 'string') {
      const search = searchFor(name, pattern)
      if (search !== undefined) return { name, args, implementation: search, cost, stopsAtError: true }
    }
    if (Object.hasOwn(sharedImplementations, name)) {
      return { name, args, implementation: sharedImplementations[name]!, cost, stopsAtError: args.length > 2 }
    }
    const declared = this.#compiled.environment.function(name)?.overloads ?? []
    const bound = declared
      .filter(({ id }) => (overload === '' || id === overload) && Object.hasOwn(implementations, id))
      .map((each) => new BoundOverload(each, implementations[each.id]!))
    if (bound.length === 0) throw new TypeError(`no overload of the function ${name} has an implementation`)
    const stopsAtError = args.length > 2 || bound.length > 1 || variadic.has(overload)
    return { name, args, implementation: dispatch(name, bound), cost, stopsAtError }
  }
}
