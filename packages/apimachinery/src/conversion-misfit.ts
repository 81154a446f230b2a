import { NumberLiteral } from './json-number.ts'

/** What Go calls a type by its nature, whatever its name. */
export type GoKind = 'string' | 'bool' | 'int32' | 'int64' | 'uint32' | 'uint64' | 'uint8' | 'float64' | 'slice' | 'map' | 'struct'

/**
 * Why a value does not become one of another type, in the words of the original's converter: it makes objects of what was decoded before, as strategic
 * merge patches need it, and knows no place.
 */
export function conversionMisfit(value: unknown, goType: string, to: GoKind): string {
  const from = kindOf(value)
  switch (to) {
    case 'struct':
      return `cannot restore struct from: ${from}`
    case 'slice':
    case 'map':
      return `cannot restore ${to} from ${from}`
    default:
      // Go would make a character of an integer, and an integer of a number: only that is refused by name.
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
