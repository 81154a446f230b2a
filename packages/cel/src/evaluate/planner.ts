import type { Call, Comprehension, Expr, ListExpr, MapExpr, Struct } from '../ast.ts'
import type { Compiled } from '../compile.ts'
import { operators } from '../operators.ts'
import { isDynamic, isOptional } from '../types/type.ts'
import type { Type } from '../types/type.ts'
import { CelError, noSuchOverload, Optional } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { accessComputed, accessConstant, rereadTop, skipKey } from './attributes.ts'
import type { Access } from './attributes.ts'
import { callFunction, callWithConstant, skipAfterError } from './calls.ts'
import { Constants } from './constants.ts'
import { compareEquality, compareWithConstant, isInConstants, joinLogic, skipLogic } from './conditions.ts'
import { FunctionTable } from './function-table.ts'
import { Label } from './label.ts'
import { buildList, buildMap, requireOptional, buildStruct } from './literals.ts'
import {
  accumulate,
  accumulateTest,
  advanceQuantifier,
  beginLoop,
  bindLater,
  checkCondition,
  endLoop,
  initialize,
  advanceLoop,
  readBound,
  readLocal,
  returnBound,
} from './loops.ts'
import type { LoopSlots } from './loops.ts'
import type { Machine, Step } from './machine.ts'
import { readPath } from './paths.ts'
import { createListCost, createMapCost, createStructCost, dependsOnResult } from './runtime-cost.ts'

/** A variable of a comprehension with its memory slot. */
interface Local {
  readonly slot: number
  /** Start of the subroutine that computes the value on first use; undefined if the value is set by the loop. */
  readonly initialize: Label | undefined
}
type Locals = ReadonlyMap<string, Local>

/** Whether reading a variable or member costs something. Branches of `?:` and keys cost nothing ('resolve'), as in cel-go. */
type Mode = 'evaluate' | 'resolve'

interface Link extends Omit<Access, 'keepsOptional'> {
  /** The key: an expression, or a constant field name. */
  readonly key: Expr | string
}

/** Translates a checked expression into steps. */
export class Planner {
  readonly steps: Step[] = []
  readonly #compiled: Compiled
  readonly #constants: Constants
  readonly #functions: FunctionTable
  #locals: Locals = new Map()
  #slots = 0

  constructor(compiled: Compiled) {
    this.#compiled = compiled
    this.#functions = new FunctionTable(compiled)
    this.#constants = new Constants(compiled, this.#functions)
  }

  plan(): readonly Step[] {
    this.#expression(this.#compiled.expression)
    return this.steps
  }

  #emit(step: Step): void {
    this.steps.push(step)
  }

  /** Sets a label to the position of the next step. */
  #here(label: Label): void {
    label.position = this.steps.length
  }

  #push(value: Value): void {
    this.#emit((machine) => {
      machine.stack.push(value)
    })
  }

  #expression(expression: Expr, mode: Mode = 'evaluate'): void {
    const constant = this.#constants.of(expression)
    if (constant !== undefined) return this.#push(constant)
    switch (expression.kind) {
      case 'ident':
      case 'select':
        return this.#chain(expression, mode)
      case 'call':
        return this.#call(expression, mode)
      case 'list':
        return this.#list(expression)
      case 'map':
        return this.#map(expression)
      case 'struct':
        return this.#struct(expression)
      case 'comprehension':
        return this.#comprehension(expression)
      default:
        throw new TypeError(`cannot evaluate an expression of kind ${expression.kind}`)
    }
  }

  #variableName(expression: Expr): string | undefined {
    const reference = this.#compiled.references.get(expression)
    return reference?.kind === 'ident' && (expression.kind === 'ident' || expression.kind === 'select') ? reference.name : undefined
  }

  /** Emits the steps of a chain: a variable or a value with the fields and indexes that follow. */
  #chain(expression: Expr, mode: Mode): void {
    const links: Link[] = []
    let base = expression
    for (let link = this.#link(base); link !== undefined; link = this.#link(base)) {
      links.unshift(link.link)
      base = link.operand
    }
    const isConditional = base.kind === 'call' && base.name === operators.conditional
    const isTest = links.at(-1)?.isTest === true
    const endCost = isTest ? (isConditional ? -1 : 0) : isConditional || mode === 'resolve' ? 0 : 1
    const name = this.#variableName(base)
    const after = new Label()
    const atOnce = name === undefined ? 0 : this.#path(base, links, { isTest, endCost, after })
    if (name === undefined) this.#expression(base, isConditional ? 'resolve' : 'evaluate')
    else this.#variable(name, links.length === 0 ? endCost : 0)
    if (mayBeOptional(this.#compiled.types.get(base))) this.#emit(rereadTop)
    if (name !== undefined && links.length === 0) return
    const end = new Label()
    const keepsOptional = mode === 'resolve'
    for (const [i, { key, ...link }] of links.entries()) {
      if (i === atOnce) this.#here(after)
      this.#access(key, { ...link, keepsOptional }, end)
    }
    this.#here(end)
    if (endCost !== 0) this.#emit(chargeCost(endCost))
    if (atOnce === links.length) this.#here(after)
  }

  /** Emits a step that reads a variable and its first constant fields at once. Returns their number. */
  #path(
    base: Expr,
    links: readonly Link[],
    { isTest, endCost, after }: { readonly isTest: boolean; readonly endCost: number; readonly after: Label },
  ): number {
    const name = this.#variableName(base)!
    const local = this.#locals.get(name)
    const fields: string[] = []
    for (const { key, isOptional } of links) {
      const field = typeof key === 'string' ? key : this.#constants.of(key)
      if (isOptional || typeof field !== 'string') break
      fields.push(field)
    }
    if (fields.length === 0 || local?.initialize !== undefined || isSchemaType(this.#compiled.types.get(base))) return 0
    const isWhole = fields.length === links.length
    const path = {
      variable: local?.slot ?? name,
      fields,
      isTest: isWhole && isTest,
      cost: fields.length + (isWhole ? endCost : 0),
    }
    const step = readPath(path, after)
    if (step === undefined) return 0
    this.#emit(step)
    return fields.length
  }

  #link(expression: Expr): { readonly link: Link; readonly operand: Expr } | undefined {
    if (this.#variableName(expression) !== undefined || this.#constants.of(expression) !== undefined) return undefined
    if (expression.kind === 'select') {
      const { operand, field, testOnly } = expression
      return { link: { key: field, isOptional: false, isTest: testOnly }, operand }
    }
    if (expression.kind !== 'call') return undefined
    const [operand, key] = expression.args as readonly [Expr, Expr]
    switch (expression.name) {
      case operators.index:
        return { link: { key, isOptional: false, isTest: false }, operand }
      case operators.optionalIndex:
      case operators.optionalSelect:
        return { link: { key, isOptional: true, isTest: false }, operand }
      default:
        return undefined
    }
  }

  #access(key: Expr | string, access: Access, end: Label): void {
    const constant = typeof key === 'string' ? key : this.#constants.of(key)
    if (constant !== undefined) return this.#emit(accessConstant(constant, access, end))
    this.#emit(skipKey(end))
    this.#expression(key as Expr, 'resolve')
    this.#emit(accessComputed(access, end))
  }

  #variable(name: string, cost: number): void {
    const local = this.#locals.get(name)
    if (local !== undefined) {
      return this.#emit(local.initialize === undefined ? readLocal(local.slot, cost) : readBound(local.slot, cost, local.initialize))
    }
    this.#emit((machine) => {
      machine.charge(cost)
      machine.pushLater(machine.variable(name))
    })
  }

  #call(call: Call, mode: Mode): void {
    const [first, second, third] = call.args as readonly [Expr, Expr, Expr]
    switch (call.name) {
      case operators.and:
      case operators.or:
        return this.#logic([first, second], call.name === operators.or)
      case operators.conditional:
        return this.#conditional(first, second, third)
      case operators.equals:
      case '_!=_':
        return this.#equality(first, second, call.name === '_!=_')
      case operators.index:
      case operators.optionalIndex:
      case operators.optionalSelect:
        return this.#chain(call, mode)
      case operators.notStrictlyFalse:
        this.#expression(first)
        return this.#emit(testNotStrictlyFalse)
      case 'or':
      case 'orValue':
        return this.#alternative(call.target!, first, call.name === 'orValue')
      default:
        return this.#function(call)
    }
  }

  #equality(first: Expr, second: Expr, isNegated: boolean): void {
    this.#expression(first)
    const constant = this.#constants.of(second)
    if (constant !== undefined) return this.#emit(compareWithConstant(constant, isNegated))
    this.#expression(second)
    this.#emit(compareEquality(isNegated))
  }

  #logic([first, second]: readonly [Expr, Expr], decisive: boolean): void {
    const end = new Label()
    this.#expression(first)
    this.#emit(skipLogic(decisive, end))
    this.#expression(second)
    this.#emit(joinLogic(decisive))
    this.#here(end)
  }

  #conditional(condition: Expr, then: Expr, otherwise: Expr): void {
    const [no, end] = [new Label(), new Label()]
    this.#expression(condition)
    this.#emit((machine) => {
      const value = machine.pop()
      if (value === true) return
      if (value !== false) machine.push(value instanceof CelError ? value : noSuchOverload)
      machine.position = (value === false ? no : end).position
    })
    this.#branch(then)
    this.#emit(jump(end))
    this.#here(no)
    this.#branch(otherwise)
    this.#here(end)
  }

  #branch(branch: Expr): void {
    this.#expression(branch, 'resolve')
    if (mayBeOptional(this.#compiled.types.get(branch))) this.#emit(rereadTop)
  }

  /**
   * Emits the steps of `optional.or(other)` and `optional.orValue(other)`. `other` is only evaluated if needed. The call itself costs
   * nothing.
   */
  #alternative(optional: Expr, other: Expr, isValue: boolean): void {
    const end = new Label()
    this.#expression(optional)
    this.#emit((machine) => {
      const value = machine.pop()
      if (value instanceof Optional && value.value === undefined) return
      machine.push(isValue && value instanceof Optional ? value.value! : value)
      machine.position = end.position
    })
    this.#expression(other)
    this.#here(end)
  }

  #function(call: Call): void {
    const lastArgument = call.target === undefined ? call.args[1] : call.args[0]
    const pattern = lastArgument === undefined ? undefined : this.#constants.of(lastArgument)
    const { args, implementation, cost, stopsAtError, name } = this.#functions.get(call, pattern)
    const list = name === '@in' ? this.#constants.of(args[1]!) : undefined
    const membership = list === undefined || cost.overload !== 'in_list' ? undefined : isInConstants(list)
    if (membership !== undefined) {
      // Membership in a constant list costs nothing, as in cel-go, which looks the value up in a set.
      this.#expression(args[0]!)
      return this.#emit(membership)
    }
    const end = new Label()
    const constant = args.length === 2 && !dependsOnResult(cost.charge) ? this.#constants.of(args[1]!) : undefined
    const operands = constant === undefined ? args : args.slice(0, 1)
    for (const [i, arg] of operands.entries()) {
      this.#expression(arg)
      if (stopsAtError && i < args.length - 1) this.#emit(skipAfterError(i, 0, end))
    }
    if (constant === undefined) this.#emit(callFunction(implementation, args.length, cost.charge))
    else this.#emit(callWithConstant(implementation, constant, cost.charge))
    this.#here(end)
  }

  #list({ elements, optional }: ListExpr): void {
    const end = new Label()
    for (const [i, element] of elements.entries()) {
      this.#expression(element)
      if (this.#constants.of(element) === undefined) this.#emit(skipAfterError(i, createListCost, end))
      if (optional.has(i)) this.#emit(requireOptional(undefined, { below: i, cost: createListCost, end }))
    }
    this.#emit(buildList(elements.length, optional))
    this.#here(end)
  }

  #map({ entries }: MapExpr): void {
    const end = new Label()
    let below = 0
    for (const { key, value, optional } of entries) {
      for (const part of [key, value]) {
        this.#expression(part)
        if (this.#constants.of(part) === undefined) this.#emit(skipAfterError(below, createMapCost, end))
        below++
      }
      if (optional) this.#emit(requireOptional('', { below: below - 1, cost: createMapCost, end }))
    }
    this.#emit(buildMap(entries.map(({ optional }) => optional)))
    this.#here(end)
  }

  #struct(expression: Struct): void {
    const end = new Label()
    for (const [i, { name, value, optional }] of expression.fields.entries()) {
      this.#expression(value)
      this.#emit(skipAfterError(i, createStructCost, end))
      if (optional) this.#emit(requireOptional(name, { below: i, cost: createStructCost, end }))
    }
    const reference = this.#compiled.references.get(expression)
    this.#emit(buildStruct(reference?.name ?? expression.typeName, expression.fields))
    this.#here(end)
  }

  #comprehension(expression: Comprehension): void {
    const { condition } = expression
    if (condition.kind === 'literal' && condition.constant.value === false) return this.#binding(expression)
    const slots: LoopSlots = {
      iterator: this.#slots++,
      accumulator: this.#slots++,
      first: this.#slots++,
      ...(expression.secondVariable === undefined ? {} : { second: this.#slots++ }),
    }
    const [next, done, end] = [new Label(), new Label(), new Label()]
    const outer = this.#locals
    this.#expression(expression.range)
    this.#emit(beginLoop(slots, end))
    this.#expression(expression.init)
    this.#emit(initialize(slots.accumulator))
    this.#here(next)
    const test = findTest(expression)
    this.#emit(test === undefined ? advanceLoop(slots, done) : advanceQuantifier(slots, test.decisive, done))
    const withAccumulator = new Map(outer).set(expression.accumulator, { slot: slots.accumulator, initialize: undefined })
    const within = new Map(withAccumulator).set(expression.variable, { slot: slots.first, initialize: undefined })
    if (expression.secondVariable !== undefined) {
      within.set(expression.secondVariable, { slot: slots.second!, initialize: undefined })
    }
    this.#locals = within
    if (test !== undefined) {
      this.#expression(test.expression)
      this.#emit(accumulateTest(slots.accumulator, test.decisive, next))
    } else {
      if (condition.kind !== 'literal') {
        this.#expression(condition)
        this.#emit(checkCondition(done))
      }
      this.#expression(expression.step)
      this.#emit(accumulate(slots.accumulator, next))
    }
    this.#here(done)
    this.#locals = withAccumulator
    this.#expression(expression.result)
    this.#emit(endLoop)
    this.#here(end)
    this.#locals = outer
  }

  /** Emits the steps of a comprehension without iterations, which binds a variable to a value. The value is computed on first use. */
  #binding(expression: Comprehension): void {
    const slot = this.#slots++
    const [initial, after] = [new Label(), new Label()]
    const outer = this.#locals
    this.#emit(bindLater(slot))
    this.#emit(jump(after))
    this.#here(initial)
    this.#expression(expression.init)
    this.#emit(returnBound(slot))
    this.#here(after)
    this.#locals = new Map(outer).set(expression.accumulator, { slot, initialize: initial })
    this.#expression(expression.result)
    this.#locals = outer
  }
}

/** The test of the elements in `all()` or `exists()`. */
interface ElementTest {
  readonly expression: Expr
  /** The result of the test that ends the loop. */
  readonly decisive: boolean
}

/** Returns the test of a comprehension that `all()` or `exists()` expands to; undefined for other comprehensions. */
function findTest({ condition, step, accumulator }: Comprehension): ElementTest | undefined {
  const isAccumulator = (expression: Expr | undefined): boolean => expression?.kind === 'ident' && expression.name === accumulator
  if (condition.kind !== 'call' || condition.name !== operators.notStrictlyFalse) return undefined
  if (step.kind !== 'call' || !isAccumulator(step.args[0])) return undefined
  const [continues] = condition.args
  if (step.name === operators.and && isAccumulator(continues)) return { expression: step.args[1]!, decisive: false }
  const isNegated = continues?.kind === 'call' && continues.name === operators.not && isAccumulator(continues.args[0])
  return step.name === operators.or && isNegated ? { expression: step.args[1]!, decisive: true } : undefined
}

/** Returns whether values of a type are read by the schema of a custom resource. */
function isSchemaType(type: Type | undefined): boolean {
  return type?.kind === 'struct' && !type.name.startsWith('kubernetes.')
}

function mayBeOptional(type: Type | undefined): boolean {
  return type === undefined || isDynamic(type) || isOptional(type)
}

function jump(label: Label): Step {
  return (machine) => {
    machine.position = label.position
  }
}

function chargeCost(cost: number): Step {
  return (machine) => {
    machine.charge(cost)
  }
}

/** Computes `@not_strictly_false`, which is true for every value except false, even for errors. */
function testNotStrictlyFalse(machine: Machine): void {
  machine.charge(1)
  machine.push(machine.pop() !== false)
}
