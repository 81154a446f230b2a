import type { Expr } from '../ast.ts'
import type { Message } from '../issues.ts'
import { getOptionalValue, equalsType, formatType } from '../types/type.ts'
import type { Type } from '../types/type.ts'

export interface Problem {
  readonly at: Expr
  readonly message: Message
}

/** Returns errors for the elements of a list or map literal whose type differs from earlier elements. */
export function findMixedElements(expression: Expr, types: ReadonlyMap<Expr, Type>): readonly Problem[] {
  if (expression.kind === 'list') {
    const elements = expression.elements.map((at, i) => ({ at, type: findElementType(types.get(at)!, expression.optional.has(i)) }))
    return findDifferences(elements).slice(0, 1)
  }
  if (expression.kind !== 'map') return []
  const keys = expression.entries.map(({ key }) => ({ at: key, type: types.get(key)! }))
  const values = expression.entries.map(({ value, optional }) => ({ at: value, type: findElementType(types.get(value)!, optional) }))
  return [...findDifferences(keys), ...findDifferences(values)]
}

interface Element {
  readonly at: Expr
  readonly type: Type
}

function findElementType(type: Type, optional: boolean): Type {
  return (optional ? getOptionalValue(type) : undefined) ?? type
}

function findDifferences([first, ...rest]: readonly Element[]): readonly Problem[] {
  return rest
    .filter(({ type }) => !equalsType(first!.type, type))
    .map(({ at, type }) => ({ at, message: () => `expected type '${formatType(first!.type)}' but found '${formatType(type)}'` }))
}
