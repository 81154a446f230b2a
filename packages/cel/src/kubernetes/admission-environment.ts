import { declareStructs } from '../declarations/structs.ts'
import type { Environment, StructTypes } from '../environment.ts'
import { baseEnvironment, jsonPatches } from '../libraries.ts'
import { createStructType, types, replaceParameters } from '../types/type.ts'
import type { Type } from '../types/type.ts'
import { namespaceTypes, requestTypes } from './admission-types.ts'
import { patchTypes } from './patch-types.ts'

/** Variables available to an admission expression besides the request and its objects. */
export interface AdmissionScope {
  readonly hasParams: boolean
  readonly hasAuthorizer: boolean
  /** Whether `Object{}` and `JSONPatch{}` are available. */
  readonly hasPatches?: boolean
  /** Types of a policy's variables by name. Entries may be added between compilations. */
  readonly variables?: ReadonlyMap<string, Type>
}

/** Name of the type of the variable `variables`. */
export const variablesType = 'kubernetes.variables'
const requestEnvironment = baseEnvironment.extend({
  structs: [declareStructs({ ...requestTypes, ...namespaceTypes })],
  variables: {
    object: types.dyn,
    oldObject: types.dyn,
    namespaceObject: createStructType('kubernetes.Namespace'),
    request: createStructType('kubernetes.AdmissionRequest'),
  },
})
const patchEnvironment = requestEnvironment.extend({ libraries: [jsonPatches], structs: [patchTypes] })

export function buildAdmissionEnvironment({ hasParams, hasAuthorizer, hasPatches = false, variables }: AdmissionScope): Environment {
  return (hasPatches ? patchEnvironment : requestEnvironment).extend({
    structs: variables === undefined ? [] : [buildVariablesStruct(variables)],
    variables: {
      ...(hasParams ? { params: types.dyn } : {}),
      ...(hasAuthorizer ? authorizerVariables : {}),
      ...(variables === undefined ? {} : { variables: createStructType(variablesType) }),
    },
  })
}

const authorizerVariables: Readonly<Record<string, Type>> = {
  authorizer: createStructType('kubernetes.authorization.Authorizer'),
  'authorizer.requestResource': createStructType('kubernetes.authorization.ResourceCheck'),
}

/** Returns the type of a policy variable from the type of its expression. Struct types become dynamic. */
export function toVariableType(type: Type): Type {
  if (type.kind === 'list' || type.kind === 'map') return replaceParameters(type, type.parameters.map(toVariableType))
  return keptKinds.has(type.kind) ? type : types.dyn
}

const keptKinds: ReadonlySet<Type['kind']> = new Set<Type['kind']>([
  'any',
  'bool',
  'bytes',
  'double',
  'duration',
  'int',
  'null',
  'string',
  'timestamp',
  'uint',
])

/** Returns the type of the variable `variables`. Entries may be added to `variables` later. */
export function buildVariablesStruct(variables: ReadonlyMap<string, Type>): StructTypes {
  return {
    find: (name) => (name === variablesType ? createStructType(name) : undefined),
    findField: (_, field) => variables.get(field),
  }
}
