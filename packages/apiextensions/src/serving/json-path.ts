import { isJsonObject } from '@keelson/apimachinery'
import type { DeepReadonly, JsonValue } from '@keelson/apimachinery'
import { parseJsonPath } from './json-path-parser.ts'
import type { PathNode } from './json-path-parser.ts'

export type Value = DeepReadonly<JsonValue> | bigint

/** A compiled JSONPath expression. */
export interface JsonPath {
  /** Returns the values at the path. A missing member gives no value. Throws where client-go reports an error, such as an index out of bounds. */
  find(value: Value): readonly Value[]
}

/** Compiles a JSONPath expression without its braces, as client-go reads it. Throws if it is invalid. */
export function compileJsonPath(text: string): JsonPath {
  const nodes = parseJsonPath(text)
  return { find: (value) => walk([value], nodes) }
}

/** The maximum number of values that one evaluation visits. Nested recursive descents would visit far more values than the object has. */
const maxVisited = 100_000

function walk(values: readonly Value[], nodes: readonly PathNode[]): readonly Value[] {
  let current = values
  for (const node of nodes) current = evaluate(current, node)
  return current
}

function evaluate(values: readonly Value[], node: PathNode): readonly Value[] {
  switch (node.kind) {
    case 'field':
      return values.flatMap((value) => (isJsonObject(value as JsonValue) ? listMember(value as MemberMap, node.name) : []))
    case 'wildcard':
      return values.flatMap((value) => listContents(value))
    case 'recursive':
      return descend(values)
    case 'literal':
      return typeof node.value === 'string' ? [node.value] : values.map(() => node.value)
    case 'slice':
      return values.flatMap((value) => (value === null ? [] : slice(value, node)))
    case 'union':
      return node.paths.flatMap((path) => walk(values, path))
    case 'filter':
      return values.flatMap((value) => filter(value, node))
    case 'keyword':
      throw new Error(`unrecognized identifier ${node.name}`)
  }
}

type MemberMap = { readonly [key: string]: Value }

function listMember(value: MemberMap, name: string): readonly Value[] {
  return Object.hasOwn(value, name) ? [value[name]!] : []
}

function listContents(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value as readonly Value[]
  if (typeof value === 'string') return Array.from(Buffer.from(value))
  return isJsonObject(value as JsonValue) ? Object.values(value as MemberMap) : []
}

/** Returns all objects, lists and texts that are not empty, among the values and in them. */
function descend(values: readonly Value[]): readonly Value[] {
  const containers: Value[] = []
  const visit = (level: readonly Value[]): void => {
    for (const value of level) {
      const contents = listContents(value)
      if (contents.length === 0) continue
      if (containers.push(value) > maxVisited) throw new Error('the path selects too many values')
      if (typeof value !== 'string') visit(contents)
    }
  }
  visit(values)
  return containers
}

function slice(value: Value, { start, end, step = 1 }: Extract<PathNode, { kind: 'slice' }>): readonly Value[] {
  if (!Array.isArray(value)) throw new Error('the value is not array or slice')
  const { length } = value
  const first = start < 0 ? start + length : start
  let last = end === 'end' ? length : end === 'single' ? start + 1 : end
  if (last < 0 || (last === 0 && end === 'single')) last += length
  if (first === last) return []
  if (first >= length || first < 0) throw new Error(`array index out of bounds: index ${first}, length ${length}`)
  if (last > length || last < 0) throw new Error(`array index out of bounds: index ${last - 1}, length ${length}`)
  if (first > last) throw new Error(`starting index ${first} is greater than ending index ${last}`)
  if (step <= 0) throw new Error('step must be > 0')
  return (value as readonly Value[]).slice(first, last).filter((_, i) => i % step === 0)
}

function filter(value: Value, node: Extract<PathNode, { kind: 'filter' }>): readonly Value[] {
  if (!Array.isArray(value)) throw new Error('the value is not array or slice and cannot be filtered')
  return (value as readonly Value[]).filter((item) => passes(item, node))
}

function passes(item: Value, { left, right, operator }: Extract<PathNode, { kind: 'filter' }>): boolean {
  if (operator === 'exists') return exists(item, left)
  const operands = [walk([item], left), walk([item], right)] as const
  for (const operand of operands) {
    if (operand.length === 0) return false
    if (operand.length > 1) throw new Error('can only compare one element at a time')
  }
  return compare(operands[0][0]!, operands[1][0]!, operator)
}

function exists(item: Value, path: readonly PathNode[]): boolean {
  try {
    return walk([item], path).length > 0
  } catch {
    return false
  }
}

function compare(a: Value, b: Value, operator: string): boolean {
  const kind = decideKind(a)
  if (kind !== decideKind(b)) throw new Error('incompatible types for comparison')
  const isEqual = a === b
  if (operator === '==') return isEqual
  if (operator === '!=') return !isEqual
  if (!['<', '>', '<=', '>='].includes(operator)) throw new Error(`unrecognized filter operator ${operator}`)
  if (kind === 'bool') throw new Error('invalid type for comparison')
  const isLess = (a as number) < (b as number)
  return operator === '<' ? isLess : operator === '>=' ? !isLess : operator === '<=' ? isLess || isEqual : !(isLess || isEqual)
}

function decideKind(value: Value): 'bool' | 'int' | 'float' | 'string' {
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'string':
      return 'string'
    case 'bigint':
      return 'int'
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float'
    default:
      throw new Error('invalid type for comparison')
  }
}
