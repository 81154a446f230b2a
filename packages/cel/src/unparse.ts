import type { Call, Constant, Expr } from './ast.ts'
import type { Parsed } from './compile.ts'
import { binaryOperators, operators } from './operators.ts'

/** Precedence levels of operators. A higher level binds more tightly. */
const level = { conditional: 0, or: 1, and: 2, relation: 3, sum: 4, product: 5, unary: 6, member: 7 } as const

const written: ReadonlyMap<string, string> = new Map([...binaryOperators].map(([text, name]) => [name, text]))
const levels: Readonly<Record<string, number>> = {
  '||': level.or,
  '&&': level.and,
  '+': level.sum,
  '-': level.sum,
  '*': level.product,
  '/': level.product,
  '%': level.product,
}

/** Formats an expression so that parsing it again gives the same meaning. Drops whitespace, comments and redundant parentheses. */
export function unparse({ expression, macroCalls }: Pick<Parsed, 'expression' | 'macroCalls'>): string {
  return new Writer(macroCalls).text(expression, level.conditional)
}

class Writer {
  readonly #macroCalls: ReadonlyMap<Expr, Call>

  constructor(macroCalls: ReadonlyMap<Expr, Call>) {
    this.#macroCalls = macroCalls
  }

  /** Formats an expression. Adds parentheses if its precedence level is lower than `least`. */
  text(expression: Expr, least: number): string {
    const call = this.#macroCalls.get(expression)
    if (call !== undefined) return this.#named(call)
    switch (expression.kind) {
      case 'literal':
        return formatConstant(expression.constant)
      case 'ident':
        return expression.name
      case 'select':
        return `${this.text(expression.operand, level.member)}.${expression.field}`
      case 'call':
        return this.#call(expression, least)
      case 'list':
        return `[${expression.elements.map((element, i) => formatOptionalMark(expression.optional.has(i)) + this.#all(element)).join(', ')}]`
      case 'map':
        return `{${expression.entries.map((entry) => `${formatOptionalMark(entry.optional)}${this.#all(entry.key)}: ${this.#all(entry.value)}`).join(', ')}}`
      case 'struct': {
        const fields = expression.fields.map((field) => `${formatOptionalMark(field.optional)}${field.name}: ${this.#all(field.value)}`)
        return `${expression.typeName}{${fields.join(', ')}}`
      }
      default:
        throw new Error(`cannot format an expression of kind ${expression.kind}`)
    }
  }

  #all(expression: Expr): string {
    return this.text(expression, level.conditional)
  }

  #call(call: Call, least: number): string {
    const { name, args } = call
    const [first, second, third] = args as readonly [Expr, Expr, Expr]
    switch (name) {
      case operators.conditional: {
        const choice = `${this.text(first, level.or)} ? ${this.text(second, level.or)} : ${this.#all(third)}`
        return addBrackets(choice, least > level.conditional)
      }
      case operators.not:
      case operators.negate:
        return addBrackets(`${name[0]}${this.#operand(first)}`, least > level.unary)
      case operators.index:
        return `${this.text(first, level.member)}[${this.#all(second)}]`
      case operators.optionalIndex:
        return `${this.text(first, level.member)}[?${this.#all(second)}]`
      case operators.optionalSelect:
        return `${this.text(first, level.member)}.?${formatName(second)}`
      default: {
        const operator = call.target === undefined ? written.get(name) : undefined
        return operator === undefined ? this.#named(call) : this.#binary(operator, [first, second], least)
      }
    }
  }

  /** Formats the operand of a sign. A number would merge with the sign. */
  #operand(operand: Expr): string {
    return operand.kind === 'literal' ? `(${this.#all(operand)})` : this.text(operand, level.member)
  }

  #binary(operator: string, [left, right]: readonly [Expr, Expr], least: number): string {
    const operatorLevel = levels[operator] ?? level.relation
    // The parser balances chains of && and ||, so nested pairs of the same operator need parentheses.
    const isLogic = operatorLevel <= level.and
    return addBrackets(
      `${this.text(left, isLogic ? operatorLevel + 1 : operatorLevel)} ${operator} ${this.text(right, operatorLevel + 1)}`,
      least > operatorLevel,
    )
  }

  #named({ name, target, args }: Call): string {
    const list = `${name}(${args.map((arg) => this.#all(arg)).join(', ')})`
    return target === undefined ? list : `${this.text(target, level.member)}.${list}`
  }
}

function addBrackets(text: string, brackets: boolean): string {
  return brackets ? `(${text})` : text
}

function formatOptionalMark(isOptional: boolean): string {
  return isOptional ? '?' : ''
}

function formatName(expression: Expr): string {
  return expression.kind === 'literal' && expression.constant.type === 'string' ? expression.constant.value : ''
}

function formatConstant(constant: Constant): string {
  switch (constant.type) {
    case 'uint':
      return `${constant.value}u`
    case 'double':
      return formatDouble(constant.value)
    case 'string':
      return `"${constant.value.replaceAll(/["\\]|[^\u0020-\u007e\u00a0-\u{10ffff}]/gu, escapeCharacter)}"`
    case 'bytes':
      return `b"${[...constant.value].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`
    default:
      return String(constant.value)
  }
}

function formatDouble(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value)
  return /[.e]/.test(text) ? text : `${text}.0`
}

function escapeCharacter(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`
}
