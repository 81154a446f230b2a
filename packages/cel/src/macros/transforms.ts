import type { Call, Expr } from '../ast.ts'
import { operators } from '../operators.ts'
import { accumulator, Expansion, readVariable } from './macro.ts'
import type { Macro } from './macro.ts'
import { readVariables } from './quantifiers.ts'

const mapInsert = 'cel.@mapInsert'
const notIdentifier = 'argument is not an identifier'

/** Expands `range.map(x, value)` and `range.map(x, filter, value)`. */
function expandMap(call: Call): Expr {
  return mapOver(call, call.target!)
}

export function mapOver(call: Call, range: Expr): Expr {
  const to = new Expansion(call)
  const variable = readVariable(call.args[0]!, notIdentifier)
  const filter = call.args.length === 3 ? call.args[1] : undefined
  return to.fold({
    range,
    variable,
    init: to.list(),
    condition: to.bool(true),
    step: to.when(filter, append(to, call.args.at(-1)!)),
    result: to.ident(accumulator),
  })
}

function expandFilter(call: Call): Expr {
  const to = new Expansion(call)
  const [element, test] = call.args as readonly [Expr, Expr]
  const variable = readVariable(element, notIdentifier)
  const step = to.when(test, append(to, element))
  return to.fold({ range: call.target!, variable, init: to.list(), condition: to.bool(true), step, result: to.ident(accumulator) })
}

function append(to: Expansion, element: Expr): Expr {
  return to.call(operators.add, to.ident(accumulator), to.list(element))
}

/** Returns an expression that adds an entry to the accumulator. */
type Addition = (to: Expansion, key: string, value: Expr) => Expr

function expandOverEntries(name: string, init: (to: Expansion) => Expr, add: Addition): readonly Macro[] {
  return [3, 4].map((argCount) => ({
    name,
    argCount,
    hasTarget: true,
    expand: (call) => {
      const variables = readVariables(call)
      const to = new Expansion(call)
      const filter = argCount === 4 ? call.args[2] : undefined
      const step = to.when(filter, add(to, variables.variable, call.args.at(-1)!))
      return to.fold({ range: call.target!, ...variables, init: init(to), condition: to.bool(true), step, result: to.ident(accumulator) })
    },
  }))
}

export const transforms: readonly Macro[] = [
  { name: 'map', argCount: 2, hasTarget: true, expand: expandMap },
  { name: 'map', argCount: 3, hasTarget: true, expand: expandMap },
  { name: 'filter', argCount: 2, hasTarget: true, expand: expandFilter },
]

export const entryTransforms: readonly Macro[] = [
  ...expandOverEntries(
    'transformList',
    (to) => to.list(),
    (to, _, value) => append(to, value),
  ),
  ...expandOverEntries(
    'transformMap',
    (to) => to.emptyMap(),
    (to, key, value) => to.call(mapInsert, to.ident(accumulator), to.ident(key), value),
  ),
  ...expandOverEntries(
    'transformMapEntry',
    (to) => to.emptyMap(),
    (to, _, entry) => to.call(mapInsert, to.ident(accumulator), entry),
  ),
]
