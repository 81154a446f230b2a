import type { Call, Expr } from '../ast.ts'
import { operators } from '../operators.ts'
import { accumulator, checkVariable, Expansion, MacroError, readName, readVariable } from './macro.ts'
import type { Macro } from './macro.ts'

const simpleName = 'argument must be a simple name'

interface Fold {
  readonly init: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

/** Combines the tests of the elements into one result. */
type Quantifier = (expansion: Expansion, test: Expr) => Fold

const testAll: Quantifier = (to, test) => ({
  init: to.bool(true),
  condition: to.call(operators.notStrictlyFalse, to.ident(accumulator)),
  step: to.call(operators.and, to.ident(accumulator), test),
  result: to.ident(accumulator),
})

const exists: Quantifier = (to, test) => ({
  init: to.bool(false),
  condition: to.call(operators.notStrictlyFalse, to.call(operators.not, to.ident(accumulator))),
  step: to.call(operators.or, to.ident(accumulator), test),
  result: to.ident(accumulator),
})

const existsOne: Quantifier = (to, test) => ({
  init: to.int(0n),
  condition: to.bool(true),
  step: to.when(test, to.call(operators.add, to.ident(accumulator), to.int(1n))),
  result: to.call(operators.equals, to.ident(accumulator), to.int(1n)),
})

/** Creates a quantifier macro over elements, for example `range.all(x, test)`. */
function expandOverElements(name: string, quantifier: Quantifier): Macro {
  return {
    name,
    argCount: 2,
    hasTarget: true,
    expand: (call) => {
      const [name_, test] = call.args as readonly [Expr, Expr]
      const variable = readVariable(name_, simpleName)
      const to = new Expansion(call)
      return to.fold({ range: call.target!, variable, ...quantifier(to, test) })
    },
  }
}

/** Creates a quantifier macro over keys and values, for example `range.all(key, value, test)`. */
function expandOverEntries(name: string, quantifier: Quantifier): Macro {
  return {
    name,
    argCount: 3,
    hasTarget: true,
    expand: (call) => {
      const variables = readVariables(call)
      const to = new Expansion(call)
      return to.fold({ range: call.target!, ...variables, ...quantifier(to, call.args[2]!) })
    },
  }
}

export interface Variables {
  readonly variable: string
  readonly secondVariable: string
}

/** Returns the two variable names of a macro over entries. */
export function readVariables({ args }: Call): Variables {
  const [first, second] = args as readonly [Expr, Expr]
  const variable = readName(first, simpleName)
  const secondVariable = readName(second, simpleName)
  if (variable === secondVariable) throw new MacroError(second.offset, `duplicate variable name: ${variable}`)
  checkVariable(variable, first)
  checkVariable(secondVariable, second)
  return { variable, secondVariable }
}

export const quantifiers: readonly Macro[] = [
  expandOverElements('all', testAll),
  expandOverElements('exists', exists),
  expandOverElements('exists_one', existsOne),
]

export const entryQuantifiers: readonly Macro[] = [
  expandOverEntries('all', testAll),
  expandOverEntries('exists', exists),
  expandOverEntries('existsOne', existsOne),
  expandOverEntries('exists_one', existsOne),
]
