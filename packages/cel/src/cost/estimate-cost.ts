import { finishTask } from '@keelson/apimachinery'
import type { Task } from '@keelson/apimachinery'
import type { Call, Comprehension, Expr, ListExpr, MapExpr, Select } from '../ast.ts'
import { visitLogicNodes } from '../ast.ts'
import type { Compiled } from '../compile.ts'
import { countCodePoints } from '../source.ts'
import { getOptionalValue } from '../types/type.ts'
import type { Type } from '../types/type.ts'
import { estimateKubernetesCall } from './kubernetes-call-costs.ts'
import { estimateListCall } from './list-call-costs.ts'
import { LocalVariables } from './local-variables.ts'
import type { EntrySize } from './local-variables.ts'
import { createExactRange, maximumCost, multiplyRanges, sum, union, unknown } from './range.ts'
import type { Range } from './range.ts'
import type { CallCost, CallNodes, SizedNode, SizeHints } from './sized-node.ts'
import { estimateStandardCall } from './standard-call-costs.ts'

const free = createExactRange(0n)
const range = createExactRange(1n)
const newList = createExactRange(10n)
const newMap = createExactRange(30n)
const newStruct = createExactRange(40n)
const accumulators: ReadonlySet<string> = new Set(['@result', '__result__'])
const scalars: ReadonlySet<Type['kind']> = new Set<Type['kind']>(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

/**
 * Estimates the minimum and maximum cost of an expression in cel-go's units. For example, a comparison of numbers costs 1, and reading a
 * string costs 0.1 per character.
 */
export function estimateCost(compiled: Compiled, hints: SizeHints): Range {
  return finishTask(estimateCostStepwise(compiled, hints))
}

/** Estimates the cost of an expression like `estimateCost`. Yields between the operands of a long `&&` or `||`. */
export function* estimateCostStepwise(compiled: Compiled, hints: SizeHints): Task<Range> {
  const estimator = new CostEstimator(compiled, hints)
  yield* visitLogicNodes(compiled.expression, (node) => estimator.estimateOperand(node))
  return estimator.cost(compiled.expression)
}

class CostEstimator {
  readonly #compiled: Compiled
  readonly #hints: SizeHints
  readonly #paths = new Map<Expr, readonly string[]>()
  readonly #sizes = new Map<Expr, Range>()
  readonly #entrySizes = new Map<Expr, EntrySize>()
  readonly #variables = new LocalVariables()
  /** Costs of operands that are estimated before the expression around them. */
  readonly #operandCosts = new Map<Expr, Range>()

  constructor(compiled: Compiled, hints: SizeHints) {
    this.#compiled = compiled
    this.#hints = hints
  }

  /** Estimates an operand of the expression before the expression itself. */
  estimateOperand(operand: Expr): void {
    this.#operandCosts.set(operand, this.cost(operand))
  }

  cost(expression: Expr): Range {
    const known = this.#operandCosts.get(expression)
    if (known !== undefined) return known
    const reference = this.#compiled.references.get(expression)
    if (reference?.kind === 'ident' && expression.kind !== 'struct') return this.#variable(expression, reference.name)
    switch (expression.kind) {
      case 'select':
        return this.#select(expression)
      case 'call':
        return this.#call(expression)
      case 'list':
        return this.#list(expression)
      case 'map':
        return this.#map(expression)
      case 'struct':
        return sum(...expression.fields.map(({ value }) => this.cost(value)), newStruct)
      case 'comprehension':
        return isBinding(expression) ? this.#binding(expression) : this.#comprehension(expression)
      default:
        return free
    }
  }

  #variable(expression: Expr, name: string): Range {
    this.#paths.set(expression, this.#variables.find(name)?.path ?? [name])
    return range
  }

  #select(expression: Select): Range {
    const operand = this.cost(expression.operand)
    if (expression.testOnly) return operand
    this.#paths.set(expression, [...this.#path(expression.operand), expression.field])
    const { kind } = this.#type(expression.operand)
    return kind === 'map' || kind === 'struct' || kind === 'parameter' ? sum(operand, range) : operand
  }

  #call(call: Call): Range {
    const reference = this.#compiled.references.get(call)
    if (reference?.kind !== 'function') return free
    if (reference.name === 'dyn') return this.#dynamic(call)
    const argCosts = call.args.map((arg) => this.cost(arg))
    const args = call.args.map((arg) => this.#node(arg))
    const targetCost = reference.isMember ? this.cost(call.target!) : free
    const nodes: CallNodes = {
      target: reference.isMember ? this.#node(call.target!) : undefined,
      args,
      getItemSize: (list) => this.#itemSize(list),
    }
    let cost: Range = { min: maximumCost, max: 0n }
    let resultSize: Range | undefined
    for (const overload of reference.overloads) {
      const estimate = this.#overloadCost(call, overload, { nodes, name: reference.name, argCosts })
      cost = union(cost, estimate.cost)
      if (estimate.resultSize !== undefined)
        resultSize = resultSize === undefined ? estimate.resultSize : union(resultSize, estimate.resultSize)
      if (overload === 'index_list' || overload === 'index_map') {
        resultSize = this.#entrySize(call.args[0]!)?.value
        this.#paths.set(call, [...this.#path(call.args[0]!), overload === 'index_list' ? '@items' : '@values'])
      }
      resultSize ??= this.#size(call)
    }
    if (resultSize !== undefined) this.#sizes.set(call, resultSize)
    return sum(targetCost, cost)
  }

  #dynamic(call: Call): Range {
    const [arg] = call.args as readonly [Expr]
    const cost = sum(range, this.cost(arg))
    this.#copySizes(call, arg)
    return cost
  }

  #overloadCost(call: Call, overload: string, { nodes, name, argCosts }: CallContext): CallCost {
    const special = estimateListCall(overload, nodes) ?? estimateKubernetesCall(name, overload, nodes)
    if (special !== undefined) return { ...special, cost: sum(special.cost, ...argCosts) }
    if (overload === 'logical_and' || overload === 'logical_or') {
      return { cost: { min: argCosts[0]!.min, max: sum(...argCosts).max } }
    }
    if (overload === 'conditional') return this.#conditional(call, nodes, argCosts)
    if (/^add_(?:bytes|list|string)$/.test(overload)) this.#uniteEntries(call, call.args[0]!, call.args[1]!)
    const standard = estimateStandardCall(overload, nodes)
    return { ...standard, cost: sum(standard.cost, ...argCosts) }
  }

  #conditional(call: Call, { args }: CallNodes, [condition, then, otherwise]: readonly Range[]): CallCost {
    this.#uniteEntries(call, call.args[1]!, call.args[2]!)
    return { cost: sum(condition!, union(then!, otherwise!)), resultSize: union(args[1]!.size, args[2]!.size) }
  }

  /** Merges the element sizes of two operands into those of the call's result. */
  #uniteEntries(call: Call, first: Expr, second: Expr): void {
    const [a, b] = [this.#entrySize(first), this.#entrySize(second)]
    if (a === undefined || b === undefined) return
    this.#entrySizes.set(call, { kind: a.kind, key: union(a.key, b.key), value: union(a.value, b.value) })
  }

  #list(expression: ListExpr): Range {
    const { elements } = expression
    const costs = elements.map((element) => this.cost(element))
    this.#entrySizes.set(expression, { kind: 'list', key: range, value: this.#sizeOfAll(elements) })
    return sum(...costs, newList)
  }

  #map(expression: MapExpr): Range {
    const costs = expression.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)])
    const [keys, values] = [expression.entries.map(({ key }) => key), expression.entries.map(({ value }) => value)]
    this.#entrySizes.set(expression, { kind: 'map', key: this.#sizeOfAll(keys), value: this.#sizeOfAll(values) })
    return sum(...costs, newMap)
  }

  #sizeOfAll(expressions: readonly Expr[]): Range {
    const none: Range = { min: expressions.length === 0 ? 0n : maximumCost, max: 0n }
    return expressions.reduce((total, expression) => union(total, this.#size(expression) ?? unknown), none)
  }

  #comprehension(expression: Comprehension): Range {
    const { range, init, accumulator, variable, secondVariable } = expression
    const start = sum(this.cost(range), this.cost(init))
    this.#variables.push(accumulator, { path: this.#path(init), size: this.#size(init), entries: this.#entrySize(init) })
    const isList = (this.#entrySize(range)?.kind ?? this.#type(range).kind) === 'list'
    const entries = this.#entrySize(range)
    const path = this.#path(range)
    const valuePath = [...path, isList ? '@items' : '@values']
    const keyPath = secondVariable !== undefined && sharesStorage(path.length) ? valuePath : [...path, isList ? '@indices' : '@keys']
    const key = { path: keyPath, size: entries?.key, entries: undefined }
    const value = { path: valuePath, size: entries?.value, entries: undefined }
    if (secondVariable === undefined) this.#variables.push(variable, isList ? value : key)
    else {
      this.#variables.push(variable, key)
      this.#variables.push(secondVariable, value)
    }
    const turn = sum(this.cost(expression.condition), this.cost(expression.step))
    this.#variables.pop(variable)
    if (secondVariable !== undefined) this.#variables.pop(secondVariable)
    const result = this.cost(expression.result)
    this.#variables.pop(accumulator)
    const turns = this.#size(range) ?? unknown
    this.#resultSizes(expression, turns)
    return sum(start, result, multiplyRanges(turns, turn))
  }

  #resultSizes(expression: Comprehension, turns: Range): void {
    const { init, step } = expression
    if (init.kind === 'literal') {
      const size = this.#size(init)
      if (size !== undefined) this.#sizes.set(expression, size)
    } else if (init.kind === 'list' || init.kind === 'map') {
      this.#sizes.set(expression, turns)
      const entries = this.#entrySize(step)
      if (entries !== undefined) this.#entrySizes.set(expression, entries)
    }
  }

  #binding(expression: Comprehension): Range {
    const { range, init, accumulator, result } = expression
    const start = sum(this.cost(range), this.cost(init))
    this.#variables.push(accumulator, { path: this.#path(init), size: this.#size(init), entries: this.#entrySize(init) })
    const cost = sum(start, this.cost(result))
    this.#variables.pop(accumulator)
    this.#copySizes(expression, result)
    return cost
  }

  #copySizes(to: Expr, from: Expr): void {
    const [size, entries] = [this.#size(from), this.#entrySize(from)]
    if (size !== undefined) this.#sizes.set(to, size)
    if (entries !== undefined) this.#entrySizes.set(to, entries)
  }

  #type(expression: Expr): Type {
    return this.#compiled.types.get(expression)!
  }

  #findName(expression: Expr): string | undefined {
    const reference = this.#compiled.references.get(expression)
    return reference?.kind === 'ident' && expression.kind !== 'struct' ? reference.name : undefined
  }

  #path(expression: Expr): readonly string[] {
    const name = this.#findName(expression)
    const variable = name === undefined ? undefined : this.#variables.find(name)
    return variable?.path ?? this.#paths.get(expression) ?? []
  }

  #node(expression: Expr): SizedNode {
    const path = this.#path(expression)
    const visible = accumulators.has(path[0] ?? '') ? [] : path
    const size = this.#size(expression) ?? this.#hinted(visible)
    return { path: visible, type: this.#type(expression), expression, size: size ?? unknown, isSizeKnown: size !== undefined }
  }

  #hinted(path: readonly string[]): Range | undefined {
    return path.length === 0 ? undefined : this.#hints(path)
  }

  #itemSize({ path }: SizedNode): Range {
    return this.#hinted(path.length === 0 ? [] : [...path, '@items']) ?? unknown
  }

  #size(expression: Expr): Range | undefined {
    const size = this.#sizes.get(expression) ?? measureWritten(expression)
    if (size !== undefined) return size
    const hinted = this.#hinted(this.#path(expression))
    if (hinted !== undefined) {
      this.#sizes.set(expression, hinted)
      return hinted
    }
    if (isScalar(this.#type(expression))) return range
    const name = this.#findName(expression)
    return name === undefined ? undefined : this.#variables.find(name)?.size
  }

  #entrySize(expression: Expr): EntrySize | undefined {
    const size = this.#entrySizes.get(expression)
    const name = this.#findName(expression)
    return size ?? (name === undefined ? undefined : this.#variables.find(name)?.entries)
  }
}

interface CallContext {
  readonly nodes: CallNodes
  readonly name: string
  readonly argCosts: readonly Range[]
}

/**
 * Returns whether a path of this length is affected by a bug in cel-go, which overwrites a key's path with its value's path. Costs of
 * device selectors are part of the API, so the bug is reproduced.
 */
function sharesStorage(length: number): boolean {
  return length > 2 && !Number.isInteger(Math.log2(length))
}

/** Returns whether the comprehension has no iterations and only binds a variable, as `cel.bind()` does. */
function isBinding({ range, condition }: Comprehension): boolean {
  const isNever = condition.kind === 'literal' && condition.constant.value === false
  return range.kind === 'list' && range.elements.length === 0 && isNever
}

/** Returns the size of a list, map or constant that is written in the expression; undefined for computed values. */
function measureWritten(expression: Expr): Range | undefined {
  if (expression.kind === 'list') return createExactRange(BigInt(expression.elements.length))
  if (expression.kind === 'map') return createExactRange(BigInt(expression.entries.length))
  if (expression.kind !== 'literal') return undefined
  const { constant } = expression
  if (constant.type === 'string') return createExactRange(BigInt(countCodePoints(constant.value)))
  return constant.type === 'bytes' ? createExactRange(BigInt(constant.value.length)) : range
}

function isScalar(type: Type): boolean {
  const value = getOptionalValue(type)
  return value === undefined ? scalars.has(type.kind) : isScalar(value)
}
