/** What a type is at bottom. An opaque type is known by its name and parameters, a struct by its fields. */
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
  /** Of what nobody has said the type. */
  | 'unspecified'

export interface Type {
  readonly kind: TypeKind
  readonly name: string
  readonly parameters: readonly Type[]
  /** Kept by `sizeOf` and `isGround`; on the type, because a WeakMap of tens of thousands takes most of the time of a garbage collection. */
  measure?: Measure
}

interface Measure {
  readonly size: number
  readonly isGround: boolean
}

function simple(kind: TypeKind, name: string = kind): Type {
  return { kind, name, parameters: [] }
}

/** Types that are all said by their kind. */
type SimpleKind = Exclude<TypeKind, 'list' | 'map' | 'opaque' | 'parameter' | 'struct'>

export const types: Readonly<Record<SimpleKind, Type>> = {
  any: simple('any', 'google.protobuf.Any'),
  bool: simple('bool'),
  bytes: simple('bytes'),
  double: simple('double'),
  duration: simple('duration', 'google.protobuf.Duration'),
  dyn: simple('dyn'),
  error: simple('error'),
  int: simple('int'),
  null: simple('null', 'null_type'),
  string: simple('string'),
  timestamp: simple('timestamp', 'google.protobuf.Timestamp'),
  type: simple('type'),
  uint: simple('uint'),
  unspecified: simple('unspecified', ''),
}

export function listType(element: Type): Type {
  return { kind: 'list', name: 'list', parameters: [element] }
}

export function mapType(key: Type, value: Type): Type {
  return { kind: 'map', name: 'map', parameters: [key, value] }
}

export function opaqueType(name: string, ...parameters: readonly Type[]): Type {
  return { kind: 'opaque', name, parameters }
}

export function optionalType(value: Type): Type {
  return opaqueType('optional_type', value)
}

export function structType(name: string): Type {
  return simple('struct', name)
}

/** The type that a type itself has. */
export function typeType(type: Type): Type {
  return { kind: 'type', name: 'type', parameters: [type] }
}

export function typeParameter(name: string): Type {
  return simple('parameter', name)
}

export function isDynamic({ kind }: Type): boolean {
  return kind === 'dyn' || kind === 'any'
}

export function isOptional({ kind, name }: Type): boolean {
  return kind === 'opaque' && name === 'optional_type'
}

/** The type within an optional one; undefined for a type that is not optional. */
export function optionalValue(type: Type): Type | undefined {
  return isOptional(type) ? type.parameters[0] : undefined
}

export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true
  if (a.kind !== b.kind || a.name !== b.name || a.parameters.length !== b.parameters.length) return false
  return a.parameters.every((parameter, i) => sameType(parameter, b.parameters[i]!))
}

const simpleMeasure: Measure = { size: 1, isGround: true }
const parameterMeasure: Measure = { size: 1, isGround: false }
/** Types are shared by all the places of an expression that have them, so a large one is walked once and not for each place. */
function measureOf(type: Type): Measure {
  if (type.parameters.length === 0) return type.kind === 'parameter' ? parameterMeasure : simpleMeasure
  return (type.measure ??= measureParts(type.parameters))
}

function measureParts(parameters: readonly Type[]): Measure {
  let size = 1
  let ground = true
  for (const parameter of parameters) {
    const measure = measureOf(parameter)
    size += measure.size
    ground &&= measure.isGround
  }
  return { size, isGround: ground }
}

/** The same type of other parts. */
export function typeWith({ kind, name }: Type, parameters: readonly Type[]): Type {
  return { kind, name, parameters }
}

/** How many parts a type has, itself included. */
export function sizeOf(type: Type): number {
  return measureOf(type).size
}

/** Whether a type has no type parameters in it. */
export function isGround(type: Type): boolean {
  return measureOf(type).isGround
}

/** As a message about an expression has it. */
export function typeText(type: Type): string {
  switch (type.kind) {
    case 'any':
    case 'duration':
    case 'null':
    case 'timestamp':
      return type.kind
    case 'error':
      return '!error!'
    default:
      return withParameters(type, typeText)
  }
}

/** As a message about an expression's result has it. */
export function resultTypeText(type: Type): string {
  return type.kind === 'parameter' ? `<${type.name}>` : withParameters(type, resultTypeText)
}

function withParameters({ name, parameters }: Type, text: (type: Type) => string): string {
  return parameters.length === 0 ? name : `${name}(${parameters.map(text).join(', ')})`
}
