import type { Call, Expr } from '../ast.ts'
import { getQualifiedName } from '../ast.ts'
import { operators } from '../operators.ts'
import { Expansion, MacroError, readName } from './macro.ts'
import type { Macro } from './macro.ts'
import { mapOver } from './transforms.ts'

const sortInput = '@__sortBy_input__'
const sortable: ReadonlySet<Expr['kind']> = new Set(['list', 'select', 'ident', 'comprehension', 'call'])

/** The macro `has(a.b)`, which tests whether a field is present. */
export const has: Macro = {
  name: 'has',
  argCount: 1,
  hasTarget: false,
  expand: ({ args, offset }) => {
    const [field] = args as readonly [Expr]
    if (field.kind !== 'select') throw new MacroError(field.offset, 'invalid argument to has() macro')
    return { kind: 'select', operand: field.operand, field: field.field, testOnly: true, offset }
  },
}

/** The macro `cel.bind(name, value, result)`, which evaluates `result` with a variable. */
export const bind: Macro = {
  name: 'bind',
  argCount: 3,
  hasTarget: true,
  expand: (call) => {
    if (getQualifiedName(call.target!) !== 'cel') return undefined
    const [name, value, result] = call.args as readonly [Expr, Expr, Expr]
    return new Expansion(call).bind(readName(name, 'cel.bind() variable names must be simple identifiers'), value, result)
  },
}

/**
 * Creates the macro `maybe.optMap(x, value)` or `maybe.optFlatMap(x, value)`. Both map a present value. `optMap` wraps the result in an
 * optional; `optFlatMap` expects an optional result.
 */
function createOptionalMap(name: string, wrap: (to: Expansion, value: Expr) => Expr): Macro {
  return {
    name,
    argCount: 2,
    hasTarget: true,
    expand: (call, copier) => {
      const [variable, value] = call.args as readonly [Expr, Expr]
      const to = new Expansion(call)
      const target = call.target!
      const bound = readName(variable, `${name}() variable name must be a simple identifier`)
      const copy = copier.copy(target)
      if (copy === undefined) throw new MacroError(call.offset, `${name}() is nested too deeply`)
      return to.call(
        operators.conditional,
        to.method('hasValue', target),
        wrap(to, to.bind(bound, to.method('value', copy), value)),
        to.call('optional.none'),
      )
    },
  }
}

export const optionalMaps: readonly Macro[] = [
  createOptionalMap('optMap', (to, value) => to.call('optional.of', value)),
  createOptionalMap('optFlatMap', (_, value) => value),
]

/** The macro `list.sortBy(x, key)`, which sorts a list by a computed key. */
export const sortBy: Macro = {
  name: 'sortBy',
  argCount: 2,
  hasTarget: true,
  expand: (call: Call) => {
    const target = call.target!
    if (!sortable.has(target.kind)) {
      throw new MacroError(target.offset, 'sortBy can only be applied to a list, identifier, comprehension, call or select expression')
    }
    const to = new Expansion(call)
    const keys = mapOver(call, to.ident(sortInput))
    return to.bind(sortInput, target, to.method('@sortByAssociatedKeys', to.ident(sortInput), keys))
  },
}
