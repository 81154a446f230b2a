import type { Expr } from '../ast.ts'

const maxCopies = 100_000

/**
 * Copies expressions for macros that use an argument twice, because types and references are recorded per node. Nested macros double the
 * copies, so their number is limited.
 */
export class Copier {
  #copies = 0

  /** Returns a deep copy of an expression; undefined if the limit is exceeded. */
  copy(expression: Expr): Expr | undefined {
    const copied = this.#copyExpression(expression)
    return this.#copies > maxCopies ? undefined : copied
  }

  #copyExpression(expression: Expr): Expr {
    if (++this.#copies > maxCopies) return expression
    const copy = (part: Expr): Expr => this.#copyExpression(part)
    switch (expression.kind) {
      case 'select':
        return { ...expression, operand: copy(expression.operand) }
      case 'call': {
        const args = expression.args.map(copy)
        return expression.target === undefined ? { ...expression, args } : { ...expression, target: copy(expression.target), args }
      }
      case 'list':
        return { ...expression, elements: expression.elements.map(copy) }
      case 'map':
        return { ...expression, entries: expression.entries.map((entry) => ({ ...entry, key: copy(entry.key), value: copy(entry.value) })) }
      case 'struct':
        return { ...expression, fields: expression.fields.map((field) => ({ ...field, value: copy(field.value) })) }
      case 'comprehension': {
        const { range, init, condition, step, result } = expression
        return { ...expression, range: copy(range), init: copy(init), condition: copy(condition), step: copy(step), result: copy(result) }
      }
      default:
        return { ...expression }
    }
  }
}
