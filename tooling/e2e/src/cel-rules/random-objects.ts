export interface JsonObject {
  [name: string]: unknown
}

type Field = readonly [schema: JsonObject, value: (random: RandomObjects) => unknown]

const createText = (random: RandomObjects): string =>
  random.pick(['', 'a', 'b', 'abc', 'a,b', '10', '1h', 'é😀', 'x y', '2020-01-01T00:00:00Z', '1.2.3'])
const createInt = (random: RandomObjects): number => random.pick([0, 1, 2, 3, -1, 7, 100, 9007199254740991])
const createTime = (random: RandomObjects): string =>
  random.pick([
    '2020-01-02T03:04:05Z',
    '2020-01-02T04:04:05+01:00',
    '1999-12-31T23:59:59.5Z',
    '2021-02-03T04:05:06',
    '2020-01-02t03:04:05Z',
    '2020-01-02T03:04:05.123456Z',
    '',
  ])
const number = (random: RandomObjects): number => random.pick([0, 1, 1.5, -2.25, 1e-7, 123456.75, 3])
const createElement = (random: RandomObjects): JsonObject =>
  random.members({
    k: () => random.pick(['a', 'b', 'c']),
    v: () => createInt(random),
    w: () => createTime(random),
    'note-text': () => createText(random),
  })
const listDistinct = (random: RandomObjects, value: (random: RandomObjects) => unknown): unknown[] => [...new Set(random.list(value))]

const string: JsonObject = { type: 'string' }
const integer: JsonObject = { type: 'integer' }
const elementSchema: JsonObject = {
  type: 'object',
  properties: { k: string, v: integer, w: { type: 'string', format: 'date-time' }, 'note-text': string },
  required: ['k'],
}
const objectSchema: JsonObject = {
  type: 'object',
  properties: {
    name: string,
    n: integer,
    t: { type: 'string', format: 'date-time' },
    sub: { type: 'object', properties: { x: integer, y: string } },
  },
}

/** Fields of the generated schema, each with a generator of values. */
const fields: Readonly<Record<string, Field>> = {
  i: [integer, createInt],
  f: [{ type: 'number' }, number],
  s: [string, createText],
  e: [{ type: 'string', enum: ['a', 'abc'] }, (random) => random.pick(['a', 'abc'])],
  'a-b': [string, createText],
  'c.d': [string, createText],
  __u__: [string, createText],
  namespace: [string, createText],
  nu: [{ type: 'string', nullable: true }, (random) => random.pick([null, 'a', 'abc'])],
  by: [{ type: 'string', format: 'byte' }, (random) => random.pick(['', 'YWJj', '/+8=', '_-8=', 'YWI=', 'YW'])],
  d: [{ type: 'string', format: 'duration' }, (random) => random.pick(['1h', '90s', '1 day 2 hours', '-1.5s', '3 weeks', '0', 'x'])],
  t: [{ type: 'string', format: 'date-time' }, createTime],
  da: [{ type: 'string', format: 'date' }, (random) => random.pick(['2020-01-02', '1999-12-31', '2020-02-30', 'x'])],
  b: [{ type: 'boolean' }, (random) => random.chance(0.5)],
  li: [{ type: 'array', items: integer }, (random) => random.list(createInt)],
  si: [{ type: 'array', 'x-kubernetes-list-type': 'set', items: integer }, (random) => listDistinct(random, createInt)],
  ls: [{ type: 'array', items: string }, (random) => random.list(createText)],
  ss: [{ type: 'array', 'x-kubernetes-list-type': 'set', items: string }, (random) => listDistinct(random, createText)],
  lf: [{ type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'number' } }, (random) => listDistinct(random, number)],
  nl: [{ type: 'array', items: { type: 'integer', nullable: true } }, (random) => random.list(() => random.pick([null, 1, 2]))],
  ts: [{ type: 'array', items: { type: 'string', format: 'date-time' } }, (random) => random.list(createTime)],
  ms: [{ type: 'object', additionalProperties: string }, (random) => ({ [random.pick(['a', 'k', 'a-b'])]: createText(random) })],
  mi: [{ type: 'object', additionalProperties: integer }, (random) => ({ [random.pick(['a', 'k'])]: createInt(random) })],
  mo: [
    { type: 'object', additionalProperties: { type: 'object', properties: { n: integer, s: string } } },
    (random) => ({ a: random.members({ n: () => createInt(random), s: () => createText(random) }) }),
  ],
  o: [
    objectSchema,
    (random) =>
      random.members({
        name: () => createText(random),
        n: () => createInt(random),
        t: () => createTime(random),
        sub: () => random.members({ x: () => createInt(random), y: () => createText(random) }),
      }),
  ],
  ml: [
    { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: elementSchema },
    (random) => random.list((each) => ({ k: each.pick(['a', 'b', 'c']), ...createElement(each) })),
  ],
  ml2: [
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k', 'v'],
      items: { ...elementSchema, required: ['k', 'v'] },
    },
    (random) => random.list((each) => ({ k: each.pick(['a', 'b']), v: each.pick([1, 2]) })),
  ],
  lo: [{ type: 'array', items: elementSchema }, (random) => random.list(createElement)],
  ios: [{ 'x-kubernetes-int-or-string': true }, (random) => random.pick<unknown>([1, 0, 'a', '10%', 'abc'])],
  lios: [
    { type: 'array', items: { 'x-kubernetes-int-or-string': true } },
    (random) => random.list((each) => each.pick<unknown>([1, 0, 'a', '10%'])),
  ],
  pres: [
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    (random) => random.pick<unknown>([{}, { a: 1 }, { a: [1, 'b'] }]),
  ],
  any: [{ 'x-kubernetes-preserve-unknown-fields': true }, (random) => random.pick<unknown>([1, 'a', { a: 1 }, [1]])],
  er: [
    { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    (random) =>
      random.pick<unknown>([
        { apiVersion: 'v1', kind: 'A', metadata: { name: 'x' } },
        { apiVersion: 'v1', kind: 'B', spec: 1 },
      ]),
  ],
}

const absentShare = 0.12
const wrongShare = 0.03

/** Generates objects of a schema that has fields of all kinds, and variants of this schema with other limits. */
export class RandomObjects {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  schema(): JsonObject {
    return {
      type: 'object',
      properties: Object.fromEntries(Object.entries(fields).map(([name, [schema]]) => [name, this.#limited(schema)])),
    }
  }

  object(): JsonObject {
    return this.members(Object.fromEntries(Object.entries(fields).map(([name, [, value]]) => [name, () => value(this)])))
  }

  /** Returns a copy of an object in which some fields have other values. */
  changed(object: JsonObject): JsonObject {
    const differentObject = this.object()
    return Object.fromEntries(
      Object.entries(object).map(([name, value]) => [name, this.chance(0.3) && name in differentObject ? differentObject[name] : value]),
    )
  }

  members(values: Readonly<Record<string, () => unknown>>): JsonObject {
    const object: JsonObject = {}
    for (const [name, value] of Object.entries(values)) {
      if (this.chance(absentShare)) continue
      object[name] = this.chance(wrongShare) ? this.pick<unknown>([null, 1, 'wrong', true, [], {}]) : value()
    }
    return object
  }

  list(value: (random: RandomObjects) => unknown): unknown[] {
    return Array.from({ length: this.below(4) }, () => value(this))
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  chance(probability: number): boolean {
    return this.#random() < probability
  }

  /** Adds limits to a schema and to the schemas within it. */
  #limited(schema: JsonObject): JsonObject {
    const copy: JsonObject = { ...schema }
    if (typeof copy['items'] === 'object') copy['items'] = this.#limited(copy['items'] as JsonObject)
    if (typeof copy['additionalProperties'] === 'object')
      copy['additionalProperties'] = this.#limited(copy['additionalProperties'] as JsonObject)
    if (typeof copy['properties'] === 'object') {
      const properties = copy['properties'] as Record<string, JsonObject>
      copy['properties'] = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, this.#limited(property)]))
    }
    const limit = this.pick([1, 5, 20, 64, 1000])
    if (this.chance(0.15)) return copy
    if (copy['type'] === 'string' || copy['x-kubernetes-int-or-string'] === true) copy['maxLength'] = limit
    if (copy['type'] === 'array') copy['maxItems'] = limit
    if (copy['additionalProperties'] !== undefined) copy['maxProperties'] = limit
    return copy
  }

  /** Returns a random number from 0 to 1 (Mulberry32 algorithm). */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
