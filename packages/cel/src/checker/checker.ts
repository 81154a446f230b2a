import type { Task } from '@keelson/apimachinery'
import { getQualifiedName, visitLogicNodes } from '../ast.ts'
import type { Call, Comprehension, Expr, Ident, ListExpr, MapExpr, Select, Struct } from '../ast.ts'
import type { FunctionDeclaration } from '../declarations/function-declaration.ts'
import type { Environment } from '../environment.ts'
import type { Issues, Message } from '../issues.ts'
import { operators } from '../operators.ts'
import { maxTypeSize, selectMoreGeneral, Substitution, TypeTooLarge } from '../types/substitution.ts'
import {
  isDynamic,
  isGround,
  listType,
  mapType,
  createOptionalType,
  getOptionalValue,
  equalsType,
  countNodes,
  types,
  formatType,
  replaceParameters,
} from '../types/type.ts'
import type { Type } from '../types/type.ts'
import { Scope } from './scope.ts'

/** The resolved meaning of a name or a call. */
export type Reference =
  | { readonly kind: 'ident'; readonly name: string }
  /**
   * A function. `overloads` are all overloads that match the argument types. If there are several, the evaluator chooses one at run time. A
   * call by a qualified name has no target.
   */
  | { readonly kind: 'function'; readonly name: string; readonly overloads: readonly string[]; readonly isMember: boolean }

export interface Checked {
  readonly types: ReadonlyMap<Expr, Type>
  readonly references: ReadonlyMap<Expr, Reference>
}

/** Infers the type of every node of an expression. Yields between the operands of a long `&&` or `||`. https://github.com/google/cel-spec/blob/master/doc/langdef.md#gradual-type-checking */
export function* checkStepwise(expression: Expr, environment: Environment, issues: Issues): Task<Checked> {
  const checker = new Checker(environment, issues)
  try {
    yield* visitLogicNodes(expression, (node) => checker.checkOperand(node))
    return checker.finish()
  } catch (error) {
    if (!(error instanceof TypeTooLarge)) throw error
    issues.report(expression.offset, error.message)
    return { types: new Map(), references: new Map() }
  }
}

class Checker {
  readonly #environment: Environment
  readonly #issues: Issues
  readonly #types = new Map<Expr, Type>()
  readonly #references = new Map<Expr, Reference>()
  readonly #substitution = new Substitution()
  /** Operands that are checked before the expression around them. */
  readonly #checkedOperands = new Set<Expr>()
  #scope: Scope

  constructor(environment: Environment, issues: Issues) {
    this.#environment = environment
    this.#issues = issues
    this.#scope = new Scope(environment)
  }

  finish(): Checked {
    for (const [expression, type] of this.#types) {
      if (!isGround(type)) this.#types.set(expression, this.#substitution.apply(type, types.dyn))
    }
    return { types: this.#types, references: this.#references }
  }

  /** Checks an operand of the expression before the expression itself. */
  checkOperand(operand: Expr): void {
    this.check(operand)
    this.#checkedOperands.add(operand)
  }

  check(expression: Expr): Type {
    if (this.#checkedOperands.has(expression)) return this.#types.get(expression)!
    const inferred = this.#findType(expression)
    // The size is limited, because a map literal with the same variable as key and value doubles the type, and binding the map to a
    // variable allows doubling again.
    const type = countNodes(inferred) <= maxTypeSize ? inferred : this.#fail(expression.offset, new TypeTooLarge().message)
    this.#types.set(expression, type)
    return type
  }

  #findType(expression: Expr): Type {
    switch (expression.kind) {
      case 'literal':
        return types[expression.constant.type]
      case 'ident':
        return this.#checkIdent(expression)
      case 'select':
        return this.#select(expression)
      case 'call':
        return this.#call(expression)
      case 'list':
        return this.#list(expression)
      case 'map':
        return this.#map(expression)
      case 'struct':
        return this.#checkStruct(expression)
      case 'comprehension':
        return this.#checkComprehension(expression)
      case 'unspecified':
        return types.error
    }
  }

  #fail(offset: number, message: Message): Type {
    this.#issues.report(offset, message)
    return types.error
  }

  #reportUndeclared(offset: number, name: string): Type {
    return this.#fail(offset, () => `undeclared reference to '${name}' (in container '')`)
  }

  #reportMismatch({ offset }: { readonly offset: number }, expected: Type, actual: Type): Type {
    return this.#fail(offset, () => `expected type '${formatType(expected)}' but found '${formatType(actual)}'`)
  }

  #findKnownType(name: string, expression: Expr): Type | undefined {
    const declaration = this.#scope.find(name)
    if (declaration !== undefined) this.#references.set(expression, { kind: 'ident', name: declaration.name })
    return declaration?.type
  }

  #checkIdent(expression: Ident): Type {
    return this.#findKnownType(expression.name, expression) ?? this.#reportUndeclared(expression.offset, expression.name)
  }

  #select(expression: Select): Type {
    const name = getQualifiedName(expression)
    const variable = name === undefined ? undefined : this.#findKnownType(name, expression)
    if (variable !== undefined) return variable
    const type = this.#checkField(expression.operand, expression.field, { offset: expression.offset, optional: false })
    return expression.testOnly ? types.bool : this.#substitution.apply(type)
  }

  #checkField(operand: Expr, field: string, { offset, optional }: { readonly offset: number; readonly optional: boolean }): Type {
    const operandType = this.#substitution.apply(this.check(operand))
    const value = getOptionalValue(operandType)
    const type = this.#findField(value ?? operandType, field, offset)
    return value !== undefined || optional ? createOptionalType(type) : type
  }

  #findField(type: Type, field: string, offset: number): Type {
    switch (type.kind) {
      case 'map':
        return type.parameters[1]!
      case 'struct':
        return this.#checkStructField(type.name, field, offset)
      case 'parameter':
        this.#substitution.isAssignable(types.dyn, type)
        return types.dyn
      default:
        if (!isDynamic(type) && type.kind !== 'error')
          this.#fail(offset, () => `type '${formatType(type)}' does not support field selection`)
        return types.dyn
    }
  }

  #checkStructField(typeName: string, field: string, offset: number): Type {
    const structs = this.#environment.struct(typeName)
    if (structs === undefined) return this.#fail(offset, `unexpected failed resolution of '${typeName}'`)
    return structs.findField(typeName, field) ?? this.#fail(offset, `undefined field '${field}'`)
  }

  #call(call: Call): Type {
    if (call.name === operators.optionalSelect) return this.#checkOptionalSelect(call)
    for (const arg of call.args) this.check(arg)
    if (call.target === undefined) {
      const name = withoutDot(call.name)
      const declaration = this.#environment.function(name)
      return declaration === undefined ? this.#reportUndeclared(call.offset, call.name) : this.#resolve(call, declaration, undefined)
    }
    const qualifier = getQualifiedName(call.target)
    const qualified = qualifier === undefined ? undefined : this.#environment.function(withoutDot(`${qualifier}.${call.name}`))
    if (qualified !== undefined) return this.#resolve(call, qualified, undefined)
    this.check(call.target)
    const method = this.#environment.function(call.name)
    return method === undefined ? this.#reportUndeclared(call.offset, call.name) : this.#resolve(call, method, call.target)
  }

  #checkOptionalSelect(call: Call): Type {
    const [operand, field] = call.args as readonly [Expr, Expr]
    const name = field.kind === 'literal' && field.constant.type === 'string' ? field.constant.value : ''
    const type = this.#checkField(operand, name, { offset: call.offset, optional: true })
    this.#references.set(call, { kind: 'function', name: call.name, overloads: ['select_optional_field'], isMember: false })
    return this.#substitution.apply(type)
  }

  #resolve(call: Call, { name, overloads }: FunctionDeclaration, target: Expr | undefined): Type {
    const args = target === undefined ? call.args : [target, ...call.args]
    const argTypes = args.map((arg) => this.#types.get(arg)!)
    if (name === operators.and || name === operators.or) return this.#checkLogic(call, overloads[0]!.id, argTypes)
    const matching: string[] = []
    let result: Type | undefined
    for (const { id, isMember, ...overload } of overloads) {
      if (isMember !== (target !== undefined)) continue
      const fresh = this.#fresh(overload.typeParameters)
      const parameters = fresh === undefined ? overload.args : overload.args.map((type) => renameParameters(type, fresh))
      if (!this.#substitution.areAssignable(argTypes, parameters)) continue
      matching.push(id)
      const type = fresh === undefined ? overload.result : this.#substitution.apply(renameParameters(overload.result, fresh))
      if (result === undefined) result = type
      else if (!isDynamic(result) && !equalsType(result, type)) result = types.dyn
    }
    if (result === undefined) return this.#reportNoOverload(call, name, { argTypes, isMember: target !== undefined })
    this.#references.set(call, { kind: 'function', name, overloads: matching, isMember: target !== undefined })
    return result
  }

  #fresh(names: readonly string[]): ReadonlyMap<string, Type> | undefined {
    return names.length === 0 ? undefined : new Map(names.map((name) => [name, this.#substitution.newParameter()]))
  }

  #checkLogic(call: Call, overload: string, argTypes: readonly Type[]): Type {
    const wrong = argTypes.filter((type, i) => {
      if (this.#substitution.isAssignable(type, types.bool)) return false
      this.#reportMismatch(call.args[i]!, types.bool, type)
      return true
    })
    if (wrong.length > 0) return types.error
    this.#references.set(call, { kind: 'function', name: call.name, overloads: [overload], isMember: false })
    return types.bool
  }

  #reportNoOverload(
    call: Call,
    name: string,
    { argTypes, isMember }: { readonly argTypes: readonly Type[]; readonly isMember: boolean },
  ): Type {
    const boundTypes = argTypes.map((type) => this.#substitution.apply(type, types.dyn))
    return this.#fail(call.offset, () => {
      const texts = boundTypes.map(formatType)
      const signature = isMember ? `${texts[0]}.(${texts.slice(1).join(', ')})` : `(${texts.join(', ')})`
      return `found no matching overload for '${name}' applied to '${signature}'`
    })
  }

  /** Returns the value type of `?value`, which must be optional. */
  #unwrapType(value: Expr, type: Type, optional: boolean): Type {
    const within = optional ? getOptionalValue(type) : type
    if (within !== undefined) return within
    if (!isDynamic(type)) this.#reportMismatch(value, createOptionalType(type), type)
    return type
  }

  /** Returns the common type of elements. Mixed types become dynamic here; a later validator rejects some of them. */
  #join(previous: Type | undefined, current: Type): Type {
    if (previous === undefined) return current
    return this.#substitution.isAssignable(previous, current) ? selectMoreGeneral(previous, current) : types.dyn
  }

  #list({ elements, optional }: ListExpr): Type {
    let joined: Type | undefined
    for (const [i, element] of elements.entries()) {
      joined = this.#join(joined, this.#unwrapType(element, this.check(element), optional.has(i)))
    }
    return listType(joined ?? this.#substitution.newParameter())
  }

  #map({ entries }: MapExpr): Type {
    let keys: Type | undefined
    let values: Type | undefined
    for (const { key, value, optional } of entries) {
      keys = this.#join(keys, this.check(key))
      values = this.#join(values, this.#unwrapType(value, this.check(value), optional))
    }
    return mapType(keys ?? this.#substitution.newParameter(), values ?? this.#substitution.newParameter())
  }

  #checkStruct(expression: Struct): Type {
    const declaration = this.#scope.find(expression.typeName)
    if (declaration === undefined) return this.#reportUndeclared(expression.offset, expression.typeName)
    this.#references.set(expression, { kind: 'ident', name: declaration.name })
    const type = this.#structType(expression, declaration.type)
    const typeName = type.kind === 'error' ? declaration.name : type.name
    for (const field of expression.fields) {
      const actual = this.check(field.value)
      const fieldType = this.#checkStructField(typeName, field.name, field.offset)
      const value = this.#unwrapType(field.value, actual, field.optional)
      if (this.#substitution.isAssignable(fieldType, value)) continue
      const describeFieldMismatch = (): string =>
        `expected type of field '${field.name}' is '${formatType(fieldType)}' but provided type is '${formatType(value)}'`
      this.#fail(field.offset, describeFieldMismatch)
    }
    return type
  }

  #structType({ offset }: Struct, declared: Type): Type {
    if (declared.kind === 'error') return types.error
    const [type] = declared.parameters
    if (declared.kind !== 'type') return this.#fail(offset, `'${declared.name}' is not a type`)
    if (type !== undefined && messages.has(type.kind)) return type
    return this.#fail(offset, `'${type?.name ?? declared.name}' is not a message type`)
  }

  #checkComprehension(expression: Comprehension): Type {
    const range = this.#substitution.apply(this.check(expression.range))
    const accumulator = this.check(expression.init)
    const outerScope = this.#scope
    this.#scope = outerScope.with(expression.accumulator, accumulator)
    const [first, second] = this.#getElementTypes(expression, range)
    const innerScope = this.#scope
    this.#scope = innerScope.with(expression.variable, first)
    if (expression.secondVariable !== undefined) this.#scope = this.#scope.with(expression.secondVariable, second)
    this.check(expression.condition)
    this.#assert(expression.condition, types.bool)
    this.check(expression.step)
    this.#assert(expression.step, accumulator)
    this.#scope = innerScope
    const result = this.check(expression.result)
    this.#scope = outerScope
    return this.#substitution.apply(result)
  }

  /** Returns the types of a comprehension's variables. */
  #getElementTypes({ range, secondVariable }: Comprehension, type: Type): readonly [first: Type, second: Type] {
    switch (type.kind) {
      case 'list': {
        const element = type.parameters[0]!
        return secondVariable === undefined ? [element, element] : [types.int, element]
      }
      case 'map':
        return [type.parameters[0]!, type.parameters[1]!]
      case 'dyn':
      case 'error':
      case 'parameter':
        this.#substitution.isAssignable(types.dyn, type)
        return [types.dyn, types.dyn]
      default: {
        const describeRangeMismatch = (): string =>
          `expression of type '${formatType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`
        this.#fail(range.offset, describeRangeMismatch)
        return [types.error, types.error]
      }
    }
  }

  #assert(expression: Expr, expected: Type): void {
    const type = this.#types.get(expression)!
    if (!this.#substitution.isAssignable(expected, type)) this.#reportMismatch(expression, expected, type)
  }
}

/** Kinds of types that can be constructed as messages, with `Type{field: value}`. */
const messages: ReadonlySet<Type['kind']> = new Set(['any', 'duration', 'dyn', 'null', 'struct', 'timestamp'])

/** Removes the leading dot that a name may have. */
function withoutDot(name: string): string {
  return name.startsWith('.') ? name.slice(1) : name
}

function renameParameters(type: Type, names: ReadonlyMap<string, Type>): Type {
  if (type.kind === 'parameter') return names.get(type.name) ?? type
  if (isGround(type)) return type
  return replaceParameters(
    type,
    type.parameters.map((parameter) => renameParameters(parameter, names)),
  )
}
