import { declareFunctions } from './declarations/signature.ts'
import type { FunctionDeclaration, Overload } from './declarations/function-declaration.ts'
import type { Macro } from './macros/macro.ts'
import { createTypeType } from './types/type.ts'
import type { Type } from './types/type.ts'

/** A set of related functions, types and macros. */
export interface Library {
  /** Function declarations in the syntax of `declareFunctions`. */
  readonly functions?: string
  readonly macros?: readonly Macro[]
  /** Type names available in expressions. */
  readonly types?: readonly Type[]
}

/** Struct types. */
export interface StructTypes {
  find(name: string): Type | undefined
  /** Returns the type of a field; undefined if the field does not exist. `typeName` must be a type that `find` returns. */
  findField(typeName: string, field: string): Type | undefined
}

export interface EnvironmentOptions {
  readonly libraries?: readonly Library[]
  readonly variables?: Readonly<Record<string, Type>>
  readonly structs?: readonly StructTypes[]
}

/** The variables, functions and types available to expressions. The declarations are parsed on first use. */
export class Environment {
  readonly #options: EnvironmentOptions
  readonly #parent: Environment | undefined
  #functions: ReadonlyMap<string, FunctionDeclaration> | undefined
  #macros: ReadonlyMap<string, Macro> | undefined
  #idents: ReadonlyMap<string, Type> | undefined

  constructor(options: EnvironmentOptions, parent?: Environment) {
    this.#options = options
    this.#parent = parent
  }

  extend(options: EnvironmentOptions): Environment {
    return new Environment(options, this)
  }

  get macros(): ReadonlyMap<string, Macro> {
    this.#macros ??= new Map([
      ...(this.#parent?.macros ?? []),
      ...this.#libraries.flatMap(({ macros = [] }) => macros.map((macro) => [formatMacroKey(macro), macro] as const)),
    ])
    return this.#macros
  }

  function(name: string): FunctionDeclaration | undefined {
    this.#functions ??= this.#declare()
    return this.#functions.get(name) ?? this.#parent?.function(name)
  }

  /** Returns the type of a variable. For the name of a type, returns the type of that type. */
  ident(name: string): Type | undefined {
    this.#idents ??= new Map([
      ...this.#libraries.flatMap(({ types = [] }) => types.map((type) => [type.name, createTypeType(type)] as const)),
      ...Object.entries(this.#options.variables ?? {}),
    ])
    const declared = this.#idents.get(name) ?? this.#ownStruct(name)
    return declared ?? this.#parent?.ident(name)
  }

  /** Returns the fields of a struct type; undefined for other types. */
  struct(typeName: string): StructTypes | undefined {
    return this.#options.structs?.find((structs) => structs.find(typeName) !== undefined) ?? this.#parent?.struct(typeName)
  }

  get #libraries(): readonly Library[] {
    return this.#options.libraries ?? []
  }

  #ownStruct(name: string): Type | undefined {
    for (const structs of this.#options.structs ?? []) {
      const type = structs.find(name)
      if (type !== undefined) return createTypeType(type)
    }
    return undefined
  }

  /** Merges functions: several libraries may add overloads to one function. */
  #declare(): ReadonlyMap<string, FunctionDeclaration> {
    const overloads = new Map<string, readonly Overload[]>()
    for (const { functions = '' } of this.#libraries) {
      for (const { name, overloads: more } of declareFunctions(functions)) overloads.set(name, [...(overloads.get(name) ?? []), ...more])
    }
    for (const name of overloads.keys()) {
      const inherited = this.#parent?.function(name)
      if (inherited !== undefined) overloads.set(name, [...inherited.overloads, ...overloads.get(name)!])
    }
    return new Map([...overloads].map(([name, list]) => [name, { name, overloads: list }]))
  }
}

function formatMacroKey({ name, argCount, hasTarget }: Macro): string {
  return `${name}:${argCount}:${hasTarget}`
}
