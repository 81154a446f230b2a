import { fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { compileExpression } from './compile-expression.ts'

export interface ExpressionRules {
  /** The names that the expression may speak of. */
  readonly variables: readonly string[]
  /** What was stored before may be said again, though it would be refused today. */
  readonly stored?: ReadonlySet<string>
}

export function validateExpression(expression: string, { variables, stored }: ExpressionRules, path: FieldPath): FieldErrorList {
  if (stored?.has(expression)) return []
  const problem = compileExpression(expression, variables)
  return problem === undefined ? [] : [fieldError.invalid(path, expression, `compilation failed: ${problem}`)]
}
