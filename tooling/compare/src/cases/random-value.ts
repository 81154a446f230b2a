import type { FieldSchema, JsonObject, JsonValue, StructSchema, TypeSchema } from '@keelson/apimachinery'
import { oddAnything, oddIntsOrStrings, oddKeys, oddNumbers, oddQuantities, oddStrings, oddTimes } from './odd-values.ts'
import type { Random } from './random.ts'
import { getWords } from './vocabulary.ts'

/** Maximum depth of objects with most of their optional fields. Deeper objects contain only a few of them. */
const fullDepth = 3

/** Returns a random value for a field. Most values have the field's type; many of them are invalid. */
export function createRandomValue(random: Random, type: TypeSchema, field: string, depth = 1): JsonValue {
  if (random.chance(0.03)) return random.pick(oddAnything)
  switch (type.kind) {
    case 'struct':
      return createRandomStruct(random, type, depth)
    case 'list':
      return Array.from({ length: random.pick([0, 1, 1, 1, 2, 2, 3]) }, () => createRandomValue(random, type.items, field, depth + 1))
    case 'map':
      return Object.fromEntries(
        Array.from({ length: random.pick([0, 1, 1, 2]) }, () => [
          random.pick(random.chance(0.7) ? oddKeys : oddStrings),
          createRandomValue(random, type.values, field, depth + 1),
        ]),
      )
    case 'string':
      return getWords(field).length > 0 && random.chance(0.7) ? random.pick(getWords(field)) : random.pick(oddStrings)
    case 'bool':
      return random.chance(0.5)
    case 'bytes':
      return random.pick(['YQ==', 'YQ', 'a', '', '!'])
    case 'quantity':
      return random.pick(oddQuantities)
    case 'intOrString':
      return random.pick(oddIntsOrStrings)
    case 'time':
    case 'microTime':
      return random.pick(oddTimes)
    case 'duration':
      return random.pick(['1h', '5s', '-1s', 'x', '', 5])
    case 'rawExtension':
    case 'fieldsV1':
    case 'json':
      return random.pick([{}, { a: 1 }, 'x', 1, null])
    default:
      return random.pick(oddNumbers)
  }
}

function createRandomStruct(random: Random, { fields, name }: StructSchema, depth: number): JsonObject {
  // Limit the depth, because some schemas are recursive.
  if (depth > 6 || (name.startsWith('JSONSchemaProps') && depth > 2)) return {}
  const optionalChance = depth > fullDepth ? 0.1 : Math.min(0.5, 2.2 / fields.length)
  const object: JsonObject = {}
  for (const field of fields)
    if (random.chance(isNeeded(field) ? 0.93 : optionalChance))
      object[field.name] = createRandomValue(random, field.type, field.name, depth + 1)
  return object
}

function isNeeded({ required, name }: FieldSchema): boolean {
  return required === true && name !== 'status'
}
