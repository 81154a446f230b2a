import { isDynamic, isGround, equalsType, countNodes, createTypeParameter, replaceParameters } from './type.ts'
import type { Type } from './type.ts'

const nullable: ReadonlySet<Type['kind']> = new Set(['any', 'duration', 'null', 'opaque', 'struct', 'timestamp'])

/** Maximum number of nodes of a type. Useful expressions have far smaller types. */
export const maxTypeSize = 1_000
/** Maximum number of type comparisons per expression. Nested type parameters that are used twice would otherwise take exponential time. */
const maxSteps = 2_000_000

/** Thrown when type parameters expand without bound. */
export class TypeTooLarge extends Error {
  constructor() {
    super('type is too large')
  }
}

/**
 * Bindings of type parameters. Unification binds a parameter to the first type it meets, or to the more general of two compatible ones.
 * https://github.com/google/cel-spec/blob/master/doc/langdef.md#gradual-type-checking
 */
export class Substitution {
  readonly #types = new Map<string, Type>()
  /** Log of changed bindings, with which a failed unification is undone. */
  readonly #log: (readonly [name: string, before: Type | undefined])[] = []
  #fresh = 0
  #steps = 0

  newParameter(): Type {
    return createTypeParameter(`_var${this.#fresh++}`)
  }

  /** Returns whether `from` is assignable to `to`. Binds type parameters on success only. */
  isAssignable(from: Type, to: Type): boolean {
    if (from === to) return true
    return this.#attempt(() => this.#assignable(from, to))
  }

  areAssignable(from: readonly Type[], to: readonly Type[]): boolean {
    return this.#attempt(() => this.#allAssignable(from, to))
  }

  /** Replaces bound type parameters in a type. Unbound parameters are kept or replaced by `unknown`. */
  apply(type: Type, unknown: 'keep' | Type = 'keep'): Type {
    let remaining = maxTypeSize
    const replacePart = (part: Type): Type => {
      if (isGround(part)) {
        remaining -= countNodes(part)
        if (remaining < 0) throw new TypeTooLarge()
        return part
      }
      if (remaining-- === 0) throw new TypeTooLarge()
      if (part.kind === 'parameter') {
        const bound = this.#types.get(part.name)
        if (bound !== undefined) return replacePart(bound)
        return unknown === 'keep' ? part : unknown
      }
      const parameters = part.parameters.map(replacePart)
      return parameters.every((parameter, i) => parameter === part.parameters[i]) ? part : replaceParameters(part, parameters)
    }
    return replacePart(type)
  }

  #attempt(unify: () => boolean): boolean {
    const start = this.#log.length
    if (unify()) return true
    for (const [name, before] of this.#log.splice(start).toReversed()) {
      if (before === undefined) this.#types.delete(name)
      else this.#types.set(name, before)
    }
    return false
  }

  #set(name: string, type: Type): void {
    this.#log.push([name, this.#types.get(name)])
    this.#types.set(name, type)
  }

  #step(): void {
    if (++this.#steps > maxSteps) throw new TypeTooLarge()
  }

  #assignable(from: Type, to: Type): boolean {
    this.#step()
    if (from === to) return true
    if (to.kind === 'parameter') {
      const bound = this.#bind(to, from)
      if (bound !== 'no') return bound === 'yes'
    }
    if (from.kind === 'parameter') return this.#bind(from, to) === 'yes'
    if (isLoose(from) || isLoose(to)) return true
    if (from.kind === 'null') return nullable.has(to.kind)
    if (to.kind === 'null') return nullable.has(from.kind)
    if (from.kind === 'type') return to.kind === 'type'
    return from.kind === to.kind && from.name === to.name && this.#allAssignable(from.parameters, to.parameters)
  }

  #allAssignable(from: readonly Type[], to: readonly Type[]): boolean {
    return from.length === to.length && from.every((type, i) => this.#assignable(type, to[i]!))
  }

  /**
   * Binds a type parameter. Returns 'never' if the parameter is already bound to an incompatible type, and 'no' if the type cannot be
   * bound.
   */
  #bind(parameter: Type, type: Type): 'yes' | 'no' | 'never' {
    if (equalsType(parameter, type)) return 'yes'
    const bound = this.#types.get(parameter.name)
    if (bound === undefined) {
      if (this.#occurs(parameter, type)) return 'no'
      this.#set(parameter.name, type)
      return 'yes'
    }
    if (equalsType(bound, type)) return 'yes'
    if (!this.#assignable(type, bound)) return 'never'
    const general = selectMoreGeneral(type, bound)
    if (!this.#occurs(parameter, general)) this.#set(parameter.name, general)
    return 'yes'
  }

  #occurs(parameter: Type, within: Type): boolean {
    this.#step()
    if (isGround(within)) return false
    if (equalsType(parameter, within)) return true
    if (within.kind === 'parameter') {
      const bound = this.#types.get(within.name)
      return bound !== undefined && this.#occurs(parameter, bound)
    }
    return within.parameters.some((type) => this.#occurs(parameter, type))
  }
}

function isLoose(type: Type): boolean {
  return isDynamic(type) || type.kind === 'error'
}

/** Returns the more general of two compatible types. */
export function selectMoreGeneral(a: Type, b: Type): Type {
  return isAsGeneral(a, b) ? a : b
}

function isAsGeneral(a: Type, b: Type): boolean {
  if (a === b || isDynamic(a) || a.kind === 'parameter') return true
  if (isDynamic(b) || b.kind === 'parameter' || a.kind !== b.kind) return false
  if (a.kind === 'type') return true
  if (a.name !== b.name || a.parameters.length !== b.parameters.length) return false
  return a.parameters.every((parameter, i) => isAsGeneral(parameter, b.parameters[i]!))
}
