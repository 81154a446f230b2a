import type { Call, Constant, Expr } from '../ast.ts'
import type { Compiled } from '../compile.ts'
import { createMap } from './literals.ts'
import type { FunctionTable } from './function-table.ts'
import { isList, listSize } from '../values/list.ts'
import { CelError, Double, toInt, TypeValue, Uint } from '../values/value.ts'
import type { Value } from '../values/value.ts'

const conversions: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
])

/**
 * Evaluates the constant parts of an expression before it runs: literals, type names, lists and maps of constants, and conversions. Their
 * evaluation costs nothing.
 */
export class Constants {
  readonly #compiled: Compiled
  readonly #functions: FunctionTable
  readonly #known = new Map<Expr, Value | undefined>()

  constructor(compiled: Compiled, functions: FunctionTable) {
    this.#compiled = compiled
    this.#functions = functions
  }

  /** Returns the value of a constant expression; undefined for other expressions. */
  of(expression: Expr): Value | undefined {
    if (expression.kind === 'literal') return evaluateLiteral(expression.constant)
    if (this.#known.has(expression)) return this.#known.get(expression)
    const value = this.#evaluate(expression)
    this.#known.set(expression, value)
    return value
  }

  #evaluate(expression: Expr): Value | undefined {
    switch (expression.kind) {
      case 'ident':
      case 'select':
        return this.#typeName(expression)
      case 'list':
        return expression.optional.size > 0 ? undefined : this.#all(expression.elements)
      case 'map': {
        const operands = this.#all(expression.entries.flatMap(({ key, value }) => [key, value]))
        const isPlain = expression.entries.every(({ optional }) => !optional)
        return operands === undefined || !isPlain
          ? undefined
          : createMap(
              operands,
              Array.from(expression.entries, () => false),
            )
      }
      case 'call':
        return this.#isInNothing(expression) ? false : this.#conversion(expression)
      default:
        return undefined
    }
  }

  #typeName(expression: Expr): Value | undefined {
    const reference = this.#compiled.references.get(expression)
    const type = this.#compiled.types.get(expression)
    return reference?.kind === 'ident' && type?.kind === 'type' && type.parameters.length > 0 ? new TypeValue(reference.name) : undefined
  }

  #all(expressions: readonly Expr[]): readonly Value[] | undefined {
    const values: Value[] = []
    for (const expression of expressions) {
      const value = this.of(expression)
      if (value === undefined) return undefined
      values.push(value)
    }
    return values
  }

  /** Returns whether the call is `value in []`, which is always false. The value is not evaluated. */
  #isInNothing(call: Call): boolean {
    const list = call.name === '@in' ? this.of(call.args[1]!) : undefined
    return list !== undefined && isList(list) && listSize(list) === 0 && this.#functions.get(call).cost.overload === 'in_list'
  }

  #conversion(call: Call): Value | undefined {
    const result = this.#converted(call)
    return result instanceof CelError ? undefined : result
  }

  /** Returns the error of converting a constant; undefined for other calls. */
  conversionProblem(call: Call): CelError | undefined {
    const result = this.#converted(call)
    return result instanceof CelError ? result : undefined
  }

  #converted(call: Call): Value | undefined {
    const [argument] = call.args
    if (call.target !== undefined || call.args.length !== 1 || !conversions.has(call.name)) return undefined
    const value = this.of(argument!)
    const result = value === undefined ? undefined : this.#functions.get(call).implementation(value)
    return result instanceof Promise ? undefined : result
  }
}

function evaluateLiteral(constant: Constant): Value {
  switch (constant.type) {
    case 'int':
      return toInt(constant.value)
    case 'uint':
      return new Uint(constant.value)
    case 'double':
      return new Double(constant.value)
    default:
      return constant.value
  }
}
