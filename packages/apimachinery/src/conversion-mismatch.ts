import { NumberLiteral } from './json-number.ts'

/** The reflect.Kind of a Go type, whatever its name. */
export type GoKind = 'string' | 'bool' | 'int32' | 'int64' | 'uint32' | 'uint64' | 'uint8' | 'float64' | 'slice' | 'map' | 'struct'

/**
 * Returns the error of a type mismatch in the words of upstream's converter from unstructured objects, which strategic merge patches use.
 * Unlike decoding errors, it names no path.
 */
export function conversionMismatch(value: unknown, goType: string, to: GoKind): string {
  const from = kindOf(value)
  switch (to) {
    case 'struct':
      return `cannot restore struct from: ${from}`
    case 'slice':
    case 'map':
      return `cannot restore ${to} from ${from}`
    default:
      // Go converts integers to strings and floats to integers, so only those have a message with names.
      return isConvertible(from, to) ? `cannot convert ${from} to ${goType}` : `unrecognized type: ${to}`
  }
}

function isConvertible(from: string, to: GoKind): boolean {
  if (from === 'int64') return to !== 'bool'
  return from === 'float64' && to !== 'bool' && to !== 'string'
}

function kindOf(value: unknown): string {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'int64'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  if (value instanceof NumberLiteral) return /^-?\d+$/.test(value.text) ? 'int64' : 'float64'
  return Array.isArray(value) ? 'slice' : 'map'
}
