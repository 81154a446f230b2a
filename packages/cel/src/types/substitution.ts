import { isDynamic, isGround, sameType, sizeOf, typeParameter, typeWith } from './type.ts'
import type { Type } from './type.ts'

const nullable: ReadonlySet<Type['kind']> = new Set(['any', 'duration', 'null', 'opaque', 'struct', 'timestamp'])

/** More parts than an expression that somebody wants has in one of its types. */
export const maxTypeSize = 1_000
/** Of all looks at types of one expression: parameters that stand for types with other parameters twice each take twice as many, and so on. */
const maxSteps = 2_000_000

/** Thrown where parameters stand for types that grow without end. */
export class TypeTooLarge extends Error {
  constructor() {
    super('type is too large')
  }
}

/**
 * What type parameters stand for, as far as it is known. Unification: a parameter takes on the first type that it meets, and the more general
 * one of two that agree. https://github.com/google/cel-spec/blob/master/doc/langdef.md#gradual-type-checking
 */
export class Substitution {
  readonly #types = new Map<string, Type>()
  /** What an attempt has overwritten, for undoing it. */
  readonly #log: (readonly [name: string, before: Type | undefined])[] = []
  #fresh = 0
  #steps = 0

  newParameter(): Type {
    return typeParameter(`_var${this.#fresh++}`)
  }

  /** Whether values of `from` may stand where `to` is wanted. Parameters learn from it if so, and nothing if not. */
  isAssignable(from: Type, to: Type): boolean {
    if (from === to) return true
    return this.#attempt(() => this.#assignable(from, to))
  }

  areAssignable(from: readonly Type[], to: readonly Type[]): boolean {
    return this.#attempt(() => this.#allAssignable(from, to))
  }

  /** The type with its parameters replaced by what they stand for; one that stands for nothing stays, or becomes dynamic. */
  apply(type: Type, unknown: 'keep' | Type = 'keep'): Type {
    let left = maxTypeSize
    const replaced = (part: Type): Type => {
      if (isGround(part)) {
        left -= sizeOf(part)
        if (left < 0) throw new TypeTooLarge()
        return part
      }
      if (left-- === 0) throw new TypeTooLarge()
      if (part.kind === 'parameter') {
        const known = this.#types.get(part.name)
        if (known !== undefined) return replaced(known)
        return unknown === 'keep' ? part : unknown
      }
      const parameters = part.parameters.map(replaced)
      return parameters.every((parameter, i) => parameter === part.parameters[i]) ? part : typeWith(part, parameters)
    }
    return replaced(type)
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
      const learned = this.#learn(to, from)
      if (learned !== 'no') return learned === 'yes'
    }
    if (from.kind === 'parameter') return this.#learn(from, to) === 'yes'
    if (isLoose(from) || isLoose(to)) return true
    if (from.kind === 'null') return nullable.has(to.kind)
    if (to.kind === 'null') return nullable.has(from.kind)
    if (from.kind === 'type') return to.kind === 'type'
    return from.kind === to.kind && from.name === to.name && this.#allAssignable(from.parameters, to.parameters)
  }

  #allAssignable(from: readonly Type[], to: readonly Type[]): boolean {
    return from.length === to.length && from.every((type, i) => this.#assignable(type, to[i]!))
  }

  /** 'never' when the parameter stands for something else already, 'no' when it cannot stand for the type. */
  #learn(parameter: Type, type: Type): 'yes' | 'no' | 'never' {
    if (sameType(parameter, type)) return 'yes'
    const known = this.#types.get(parameter.name)
    if (known === undefined) {
      if (this.#occurs(parameter, type)) return 'no'
      this.#set(parameter.name, type)
      return 'yes'
    }
    if (sameType(known, type)) return 'yes'
    if (!this.#assignable(type, known)) return 'never'
    const general = mostGeneral(type, known)
    if (!this.#occurs(parameter, general)) this.#set(parameter.name, general)
    return 'yes'
  }

  #occurs(parameter: Type, within: Type): boolean {
    this.#step()
    if (isGround(within)) return false
    if (sameType(parameter, within)) return true
    if (within.kind === 'parameter') {
      const known = this.#types.get(within.name)
      return known !== undefined && this.#occurs(parameter, known)
    }
    return within.parameters.some((type) => this.#occurs(parameter, type))
  }
}

function isLoose(type: Type): boolean {
  return isDynamic(type) || type.kind === 'error'
}

/** Of two types that agree. */
export function mostGeneral(a: Type, b: Type): Type {
  return isAsGeneral(a, b) ? a : b
}

function isAsGeneral(a: Type, b: Type): boolean {
  if (a === b || isDynamic(a) || a.kind === 'parameter') return true
  if (isDynamic(b) || b.kind === 'parameter' || a.kind !== b.kind) return false
  if (a.kind === 'type') return true
  if (a.name !== b.name || a.parameters.length !== b.parameters.length) return false
  return a.parameters.every((parameter, i) => isAsGeneral(parameter, b.parameters[i]!))
}
