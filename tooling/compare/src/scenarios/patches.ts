import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import type { Step } from '../cases/case.ts'
import { mutateCopy } from '../cases/mutate.ts'
import type { Random } from '../cases/random.ts'
import { isObject, formatJsonPointer, listLocations } from '../cases/locations.ts'
import type { Subject } from '../cases/subjects.ts'

/** Returns a random PUT or PATCH of an existing object. `body` is the object as it was created. */
export function createRandomWrite(random: Random, subject: Subject, path: string, body: JsonObject): Step {
  const changed = mutateCopy(random, body, subject.schema)
  switch (random.weighted({ replace: 3, merge: 3, strategic: 3, operations: 2 })) {
    case 'replace':
      return { method: 'PUT', path, body: changed }
    case 'merge':
      return patch('merge', path, withNulls(random, pickPart(random, changed)))
    case 'strategic':
      return patch('strategic-merge', path, createStrategicPatch(random, changed))
    case 'operations':
      return patch('json', path, createOperations(random, changed))
  }
}

function patch(type: 'merge' | 'strategic-merge' | 'json', path: string, body: JsonValue): Step {
  return { method: 'PATCH', path, headers: { 'content-type': `application/${type}-patch+json` }, body }
}

/** Returns a random part of a value: some fields of an object, or a whole list. */
export function pickPart(random: Random, value: JsonValue): JsonValue {
  if (!isObject(value) || random.chance(0.15)) return value
  const members = Object.entries(value)
  return Object.fromEntries(
    members
      .filter(() => members.length === 1 || random.chance(1.3 / members.length))
      .map(([name, member]) => [name, pickPart(random, member)]),
  )
}

function withNulls(random: Random, value: JsonValue): JsonValue {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, random.chance(0.12) ? null : withNulls(random, member)]))
}

/** Adds random strategic merge patch directives to a patch. */
function createStrategicPatch(random: Random, changed: JsonObject): JsonValue {
  const body = random.chance(0.3) ? withNulls(random, pickPart(random, changed)) : pickPart(random, changed)
  if (!random.chance(0.15)) return body
  const holders = [body, ...listLocations(body, undefined).map(({ value }) => value)].filter(isObject)
  if (holders.length === 0) return body
  const holder = random.pick(holders)
  const lists = Object.entries(holder).filter((entry): entry is [string, JsonValue[]] => Array.isArray(entry[1]))
  if (lists.length === 0 || random.chance(0.5)) holder['$patch'] = random.pick(['replace', 'delete', 'merge', 'bogus'])
  else {
    const [name, list] = random.pick(lists)
    holder[random.pick([`$deleteFromPrimitiveList/${name}`, `$setElementOrder/${name}`, '$retainKeys'])] = random.chance(0.5)
      ? list
      : [name]
  }
  return body
}

function createOperations(random: Random, changed: JsonObject): JsonValue {
  const locations = listLocations(changed, undefined)
  return Array.from({ length: random.pick([1, 1, 2]) }, () => {
    const location = random.pick(locations)
    const path = random.chance(0.1)
      ? random.pick(['', '/', '/spec/-', '/nope/nope', 'spec', '/metadata/labels/a~1b'])
      : formatJsonPointer(location)
    const op = random.pick(['add', 'add', 'replace', 'replace', 'remove', 'test', 'copy', 'move', 'bogus'])
    if (op === 'remove') return { op, path }
    if (op === 'copy' || op === 'move') return { op, from: formatJsonPointer(random.pick(locations)), path }
    return { op, path, value: location.value }
  })
}

/** Returns random query options of a write. */
export function createRandomOptions(random: Random): Readonly<Record<string, string | undefined>> {
  return random.pick([
    {},
    {},
    {},
    { fieldManager: 'two' },
    { dryRun: 'All' },
    { fieldValidation: 'Strict' },
    { fieldManager: 'two', fieldValidation: 'Warn' },
    { fieldManager: 'golden💥' },
    { force: 'true' },
  ])
}
