import type { Call, Expr } from '../ast.ts'
import { listChildren } from '../ast.ts'
import type { Compiled } from '../compile.ts'
import { Constants } from '../evaluate/constants.ts'
import { FunctionTable } from '../evaluate/function-table.ts'
import { operators } from '../operators.ts'
import { findPatternError } from '../regexp/check-pattern.ts'
import { isIndexKey, createInvalidKeyError } from '../evaluate/access.ts'

const searches: ReadonlySet<string> = new Set(['find', 'findAll', 'matches'])
/** Type names that can be constructed but not used as values. */
const timeNames: ReadonlySet<string> = new Set(['duration', 'timestamp'])
const runtimeTypes: ReadonlySet<string> = new Set(['struct'])

/**
 * Returns the error that prevents a well-typed expression from running; undefined if there is none. Constants are evaluated before the
 * program runs, so their errors are found here.
 */
export function findInstantiationError(compiled: Compiled): string | undefined {
  const constants = new Constants(compiled, new FunctionTable(compiled))
  const visit = (expression: Expr): string | undefined => {
    for (const child of listChildren(expression)) {
      const problem = visit(child)
      if (problem !== undefined) return problem
    }
    return expression.kind === 'call' ? findCallError(expression, compiled, constants) : findNameError(expression, compiled)
  }
  return visit(compiled.expression)
}

function findNameError(expression: Expr, { references, types }: Compiled): string | undefined {
  const reference = references.get(expression)
  const type = types.get(expression)
  const valueType = type?.kind === 'type' ? type.parameters[0] : undefined
  if (reference?.kind !== 'ident' || expression.kind === 'struct' || valueType === undefined) return undefined
  const isMessage = runtimeTypes.has(valueType.kind) && valueType.name === reference.name
  return isMessage || timeNames.has(reference.name) ? `reference to undefined type: ${reference.name}` : undefined
}

function findCallError(call: Call, { references }: Compiled, constants: Constants): string | undefined {
  const { target, args } = call
  if (call.name === operators.index || call.name === operators.optionalIndex) {
    const key = constants.of(args[1]!)
    return key === undefined || isIndexKey(key) ? undefined : createInvalidKeyError(key, true).message
  }
  const reference = references.get(call)
  if (reference?.kind !== 'function') return undefined
  const problem = constants.conversionProblem(call)
  if (problem !== undefined) return problem.message
  const argument = target === undefined ? args[1] : args[0]
  const pattern = argument !== undefined && searches.has(reference.name) ? constants.of(argument) : undefined
  return typeof pattern === 'string' ? findPatternError(pattern) : undefined
}
