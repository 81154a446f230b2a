import { entryFunctions, listFunctions, optionalFunctions, setFunctions, stringFunctions } from './declarations/extension-functions.ts'
import {
  addressFunctions,
  authorizationFunctions,
  formatFunctions,
  jsonPatchFunctions,
  quantityFunctions,
  regexFunctions,
  summaryFunctions,
  urlFunctions,
  versionFunctions,
} from './declarations/kubernetes-functions.ts'
import { standardFunctions, standardOperators } from './declarations/standard-functions.ts'
import { Environment } from './environment.ts'
import type { Library } from './environment.ts'
import { bind, has, optionalMaps, sortBy } from './macros/bindings.ts'
import { entryQuantifiers, quantifiers } from './macros/quantifiers.ts'
import { entryTransforms, transforms } from './macros/transforms.ts'
import { listType, mapType, createOpaqueType, createTypeParameter, types, createTypeType } from './types/type.ts'
import type { Type } from './types/type.ts'

const { bool, bytes, double, duration, int, null: null_, string, timestamp, type, uint } = types

const standard: Library = {
  functions: standardOperators + standardFunctions,
  macros: [has, ...quantifiers, ...transforms],
  types: [
    bool,
    bytes,
    double,
    duration,
    int,
    null_,
    string,
    timestamp,
    type,
    uint,
    listType(createTypeParameter('A')),
    mapType(createTypeParameter('A'), createTypeParameter('B')),
  ],
}
const optionals: Library = { functions: optionalFunctions, macros: optionalMaps, types: [createOpaqueType('optional_type')] }
const addresses: Library = { functions: addressFunctions, types: [createOpaqueType('net.IP'), createOpaqueType('net.CIDR')] }
const entries: Library = { functions: entryFunctions, macros: [...entryQuantifiers, ...entryTransforms] }
const lists: Library = { functions: listFunctions, macros: [sortBy] }

/** The library with `cel.bind()`, which is available in device selectors but not in admission policies. */
export const bindings: Library = { macros: [bind] }

/** Functions for JSON patches. */
export const jsonPatches: Library = { functions: jsonPatchFunctions }

/** Types of the type names `duration` and `timestamp`. The checker accepts these names, but evaluation does not. */
const timeNames: Readonly<Record<string, Type>> = { duration: createTypeType(duration), timestamp: createTypeType(timestamp) }

/**
 * The base environment of all expressions in Kubernetes 1.36. The order of libraries matters: it is the order of the overloads of a
 * function that several libraries declare.
 */
export const baseEnvironment: Environment = new Environment({
  libraries: [
    standard,
    { functions: urlFunctions },
    { functions: regexFunctions },
    { functions: summaryFunctions },
    { functions: authorizationFunctions },
    optionals,
    { functions: quantityFunctions },
    { functions: stringFunctions },
    { functions: setFunctions },
    addresses,
    { functions: formatFunctions },
    entries,
    { functions: versionFunctions },
    lists,
  ],
  variables: timeNames,
})
