import type { Expr } from '../ast.ts'
import type { Type, TypeKind } from '../types/type.ts'
import type { Problem } from './homogeneous-literals.ts'

interface Clause {
  readonly kinds: readonly TypeKind[]
  readonly message: string
}

const integers: readonly TypeKind[] = ['int', 'uint']
const formattableKinds: readonly TypeKind[] = [
  ...(['list', 'map', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'] as const),
  ...integers,
]
const hex: Clause = {
  kinds: [...integers, 'string', 'bytes'],
  message: 'only integers, byte buffers, and strings can be formatted as hex',
}
const text: Clause = {
  kinds: formattableKinds,
  message: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
}
const clauses: ReadonlyMap<string, Clause> = new Map([
  ['s', text],
  ['d', { kinds: integers, message: 'decimal clause can only be used on integers' }],
  ['f', { kinds: ['double', 'string'], message: 'fixed-point clause can only be used on doubles' }],
  ['e', { kinds: ['double', 'string'], message: 'scientific clause can only be used on doubles' }],
  ['b', { kinds: [...integers, 'bool'], message: 'only integers and bools can be formatted as binary' }],
  ['x', hex],
  ['X', hex],
  ['o', { kinds: integers, message: 'octal clause can only be used on integers' }],
])

/** Returns the error of a call `'…'.format([…])` whose format and list are literals; undefined for valid and other calls. */
export function findFormatError(call: Expr, types: ReadonlyMap<Expr, Type>): Problem | undefined {
  if (call.kind !== 'call' || call.name !== 'format' || call.args.length !== 1) return undefined
  const {
    target,
    args: [list],
  } = call
  if (target?.kind !== 'literal' || target.constant.type !== 'string' || list?.kind !== 'list') return undefined
  const format = target.constant.value
  let next = 0
  for (let i = format.indexOf('%'); i >= 0; i = format.indexOf('%', i)) {
    if (format[i + 1] === '%') {
      i += 2
      continue
    }
    if (i + 1 >= format.length) return { at: call, message: 'unexpected end of string' }
    const argument = list.elements[next]
    if (argument === undefined) return { at: call, message: `index ${next} out of range` }
    next++
    const clause = /^%(?:\.([0-9]*))?(.?)/su.exec(format.slice(i))!
    const problem = findClauseProblem(clause, argument, types)
    if (problem !== undefined) return { at: problem.at ?? call, message: problem.message }
    i += clause[0].length
  }
  if (list.elements.length === next) return undefined
  return { at: call, message: `too many arguments supplied to string.format (expected ${next}, got ${list.elements.length})` }
}

interface ClauseProblem {
  readonly at?: Expr
  readonly message: string
}

function findClauseProblem(
  [, precision, letter]: RegExpExecArray,
  argument: Expr,
  types: ReadonlyMap<Expr, Type>,
): ClauseProblem | undefined {
  const unreadable = 'could not parse formatting clause: '
  const badPrecision = `${unreadable}error while parsing precision: `
  if (letter === '') return { message: `${badPrecision}could not find end of precision specifier` }
  if (precision === '')
    return { message: `${badPrecision}error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax` }
  const clause = clauses.get(letter!)
  if (clause === undefined) return { message: `${unreadable}unrecognized formatting clause "${readFirstByte(letter!)}"` }
  const at = clause === text ? findUnformattablePart(argument, types) : findWrongElement(argument, clause, types)
  if (at === undefined) return undefined
  return { at, message: `error during formatting: ${clause.message}, was given ${types.get(at)!.name}` }
}

function readFirstByte(letter: string): string {
  return String.fromCodePoint(Buffer.from(letter)[0]!)
}

function findWrongElement(argument: Expr, { kinds }: Clause, types: ReadonlyMap<Expr, Type>): Expr | undefined {
  const { kind } = types.get(argument)!
  return kind === 'dyn' || kinds.includes(kind) ? undefined : argument
}

/** Returns the first element of a list or map that cannot be formatted. */
function findUnformattablePart(argument: Expr, types: ReadonlyMap<Expr, Type>): Expr | undefined {
  const wrong = findWrongElement(argument, text, types)
  if (wrong !== undefined) return wrong
  const formatArguments =
    argument.kind === 'list' ? argument.elements : argument.kind === 'map' ? argument.entries.flatMap(({ key, value }) => [key, value]) : []
  for (const part of formatArguments) {
    const unformattable = findUnformattablePart(part, types)
    if (unformattable !== undefined) return unformattable
  }
  return undefined
}
