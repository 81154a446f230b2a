import { compile, CompileError } from '../compile.ts'
import type { Compiled } from '../compile.ts'
import { declareStructs } from '../declarations/structs.ts'
import type { Environment } from '../environment.ts'
import { baseEnvironment } from '../libraries.ts'
import { declareSchema } from '../schema/schema-type.ts'
import type { DeclaredSchema, SchemaType } from '../schema/schema-type.ts'
import { createStructType, types } from '../types/type.ts'
import type { Type } from '../types/type.ts'
import { buildVariablesStruct, toVariableType, variablesType } from './admission-environment.ts'
import { namespaceTypes, requestTypes } from './admission-types.ts'

/** A kind whose objects expressions read. */
export interface CheckedKind {
  readonly kind: string
  /** Undefined if the schema of the kind is not known. Its objects are then dynamic. */
  readonly schema: SchemaType | undefined
}

export interface AdmissionTypeCheckerOptions {
  /** The kind of the variables `object` and `oldObject`. */
  readonly object: CheckedKind
  /** The kind of the variable `params`. Undefined if the policy has no parameters. */
  readonly params: CheckedKind | undefined
  /** The variables of the policy. A variable can use the variables before it. */
  readonly variables: readonly { readonly name: string; readonly expression: string }[]
}

const environment: Environment = baseEnvironment.extend({
  structs: [declareStructs({ ...requestTypes, ...namespaceTypes })],
  variables: {
    namespaceObject: createStructType('kubernetes.Namespace'),
    request: createStructType('kubernetes.AdmissionRequest'),
    // kube-apiserver does not declare `authorizer.requestResource` here, so expressions that use it get a warning.
    authorizer: createStructType('kubernetes.authorization.Authorizer'),
  },
})

/**
 * Checks the types of a policy's expressions for one kind of objects. In contrast to `compileAdmission`, objects and parameters have the
 * types of their schemas, and the result of an expression may have any type.
 */
export class AdmissionTypeChecker {
  readonly #environment: Environment

  constructor({ object, params, variables }: AdmissionTypeCheckerOptions) {
    const objectType = declare(object)
    const paramsType = params && declare(params)
    const variableTypes = new Map<string, Type>()
    this.#environment = environment.extend({
      structs: [...objectType.structs, ...(paramsType?.structs ?? []), buildVariablesStruct(variableTypes)],
      variables: {
        object: objectType.type,
        oldObject: objectType.type,
        ...(paramsType && { params: paramsType.type }),
        variables: createStructType(variablesType),
      },
    })
    for (const { name, expression } of variables) {
      const { compiled } = this.#compile(expression)
      variableTypes.set(name, compiled === undefined ? types.dyn : toVariableType(compiled.type))
    }
  }

  /** Returns the error of an expression; undefined if its types are right. */
  check(expression: string): string | undefined {
    return this.#compile(expression).problem
  }

  #compile(expression: string): { readonly compiled?: Compiled; readonly problem?: string } {
    try {
      return { compiled: compile(expression, this.#environment) }
    } catch (error) {
      if (error instanceof CompileError) return { problem: error.message }
      throw error
    }
  }
}

function declare({ kind, schema }: CheckedKind): { readonly type: Type; readonly structs: readonly DeclaredSchema['structs'][] } {
  if (schema?.isDeclared !== true) return { type: types.dyn, structs: [] }
  // Messages contain the name. As in kube-apiserver, it is unpredictable, so that it cannot equal the name of another type.
  const { type, structs } = declareSchema(schema, `${kind}${Math.floor(Math.random() * 1e9)}`)
  return { type, structs: [structs] }
}
