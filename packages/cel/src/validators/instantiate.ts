import type { Expr } from '../ast.ts'
import { childrenOf } from '../ast.ts'
import type { Checked } from '../checker/checker.ts'
import { patternProblem } from '../regexp/check-pattern.ts'
import { conversionProblem } from './conversions.ts'

const searches: ReadonlySet<string> = new Set(['find', 'findAll', 'matches'])
/** Type names that can be constructed but not used as values. */
const timeNames: ReadonlySet<string> = new Set(['duration', 'timestamp'])
const runtimeTypes: ReadonlySet<string> = new Set(['struct'])

/** Returns the error that prevents a well-typed expression from running: constants are evaluated in advance. */
export function instantiationProblem(expression: Expr, checked: Checked): string | undefined {
  for (const child of childrenOf(expression)) {
    const problem = instantiationProblem(child, checked)
    if (problem !== undefined) return problem
  }
  const reference = checked.references.get(expression)
  if (expression.kind === 'call') return reference?.kind === 'function' ? callProblem(expression, reference.name) : undefined
  const type = checked.types.get(expression)
  const named = type?.kind === 'type' ? type.parameters[0] : undefined
  if (reference?.kind !== 'ident' || expression.kind === 'struct' || named === undefined) return undefined
  const isMessage = runtimeTypes.has(named.kind) && named.name === reference.name
  return isMessage || timeNames.has(reference.name) ? `reference to undefined type: ${reference.name}` : undefined
}

function callProblem({ target, args }: Expr & { kind: 'call' }, name: string): string | undefined {
  const [first] = args
  if (target === undefined && args.length === 1 && first?.kind === 'literal') return conversionProblem(name, first.constant)
  const pattern = target === undefined ? args[1] : first
  if (!searches.has(name) || pattern?.kind !== 'literal' || pattern.constant.type !== 'string') return undefined
  return patternProblem(pattern.constant.value)
}
