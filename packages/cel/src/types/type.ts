/** The kind of a type. Opaque types are identified by name and parameters, structs by name. */
export type TypeKind =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'parameter'
  | 'uint'
  /** The type of an unresolved name. */
  | 'unspecified'

export interface Type {
  readonly kind: TypeKind
  readonly name: string
  readonly parameters: readonly Type[]
  /**
   * Cached results of `countNodes` and `isGround`. A property is used because a WeakMap with tens of thousands of entries slows down garbage
   * collection.
   */
  measure?: Measure
}

interface Measure {
  readonly size: number
  readonly isGround: boolean
}

function createSimpleType(kind: TypeKind, name: string = kind): Type {
  return { kind, name, parameters: [] }
}

/** Kinds of types without name and parameters. */
type SimpleKind = Exclude<TypeKind, 'list' | 'map' | 'opaque' | 'parameter' | 'struct'>

export const types: Readonly<Record<SimpleKind, Type>> = {
  any: createSimpleType('any', 'google.protobuf.Any'),
  bool: createSimpleType('bool'),
  bytes: createSimpleType('bytes'),
  double: createSimpleType('double'),
  duration: createSimpleType('duration', 'google.protobuf.Duration'),
  dyn: createSimpleType('dyn'),
  error: createSimpleType('error'),
  int: createSimpleType('int'),
  null: createSimpleType('null', 'null_type'),
  string: createSimpleType('string'),
  timestamp: createSimpleType('timestamp', 'google.protobuf.Timestamp'),
  type: createSimpleType('type'),
  uint: createSimpleType('uint'),
  unspecified: createSimpleType('unspecified', ''),
}

export function listType(element: Type): Type {
  return { kind: 'list', name: 'list', parameters: [element] }
}

export function mapType(key: Type, value: Type): Type {
  return { kind: 'map', name: 'map', parameters: [key, value] }
}

export function createOpaqueType(name: string, ...parameters: readonly Type[]): Type {
  return { kind: 'opaque', name, parameters }
}

export function createOptionalType(value: Type): Type {
  return createOpaqueType('optional_type', value)
}

export function createStructType(name: string): Type {
  return createSimpleType('struct', name)
}

/** Returns the type of a type. */
export function createTypeType(type: Type): Type {
  return { kind: 'type', name: 'type', parameters: [type] }
}

export function createTypeParameter(name: string): Type {
  return createSimpleType('parameter', name)
}

export function isDynamic({ kind }: Type): boolean {
  return kind === 'dyn' || kind === 'any'
}

export function isOptional({ kind, name }: Type): boolean {
  return kind === 'opaque' && name === 'optional_type'
}

/** Returns the type within an optional type; undefined for other types. */
export function getOptionalValue(type: Type): Type | undefined {
  return isOptional(type) ? type.parameters[0] : undefined
}

export function equalsType(a: Type, b: Type): boolean {
  if (a === b) return true
  if (a.kind !== b.kind || a.name !== b.name || a.parameters.length !== b.parameters.length) return false
  return a.parameters.every((parameter, i) => equalsType(parameter, b.parameters[i]!))
}

const simpleMeasure: Measure = { size: 1, isGround: true }
const parameterMeasure: Measure = { size: 1, isGround: false }
/** Measures a type once and caches the result in the type. Types are shared between nodes. */
function computeMeasure(type: Type): Measure {
  if (type.parameters.length === 0) return type.kind === 'parameter' ? parameterMeasure : simpleMeasure
  return (type.measure ??= measureParts(type.parameters))
}

function measureParts(parameters: readonly Type[]): Measure {
  let size = 1
  let ground = true
  for (const parameter of parameters) {
    const measure = computeMeasure(parameter)
    size += measure.size
    ground &&= measure.isGround
  }
  return { size, isGround: ground }
}

/** Returns the type with other parameters. */
export function replaceParameters({ kind, name }: Type, parameters: readonly Type[]): Type {
  return { kind, name, parameters }
}

/** Counts the nodes of a type. */
export function countNodes(type: Type): number {
  return computeMeasure(type).size
}

/** Returns whether a type contains no type parameters. */
export function isGround(type: Type): boolean {
  return computeMeasure(type).isGround
}

/** Formats a type for a message about an expression. */
export function formatType(type: Type): string {
  switch (type.kind) {
    case 'any':
    case 'duration':
    case 'null':
    case 'timestamp':
      return type.kind
    case 'error':
      return '!error!'
    default:
      return withParameters(type, formatType)
  }
}

/** Formats a type for a message about an expression's result. */
export function formatResultType(type: Type): string {
  return type.kind === 'parameter' ? `<${type.name}>` : withParameters(type, formatResultType)
}

function withParameters({ name, parameters }: Type, text: (type: Type) => string): string {
  return parameters.length === 0 ? name : `${name}(${parameters.map(text).join(', ')})`
}
