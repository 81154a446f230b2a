import { describe, expect, it } from 'vitest'
import { Random } from '../cases/random.ts'
import { breakObject } from './break-object.ts'
import { ValueGenerator } from './generate-value.ts'

const schema = {
  type: 'object',
  required: ['size', 'mode', 'items', 'id'],
  properties: {
    size: { type: 'integer', minimum: 3, maximum: 7, exclusiveMaximum: true },
    mode: { type: 'string', enum: ['On', 'Off'] },
    id: { type: 'string', pattern: '^[a-f]{3}-\\d+$', maxLength: 12 },
    until: { type: 'string', format: 'date-time' },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 4,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string', enum: ['a', 'b'] }, on: { type: 'boolean' } } },
    },
  },
}

interface Generated {
  readonly size: number
  readonly mode: string
  readonly id: string
  readonly until?: string
  readonly items: readonly { readonly name: string }[]
}

const generate = (seed: number): Generated => new ValueGenerator(new Random(seed)).value(schema, '') as unknown as Generated
const seeds = Array.from({ length: 200 }, (_, seed) => seed)

describe('ValueGenerator', () => {
  it('generates values that the schema allows', () => {
    for (const { size, mode, id, until, items } of seeds.map(generate)) {
      expect([3, 4, 5, 6]).toContain(size)
      expect(['On', 'Off']).toContain(mode)
      expect(id).toMatch(/^[a-f]{3}-\d+$/)
      expect(id.length).toBeLessThanOrEqual(12)
      if (until !== undefined) expect(Date.parse(until)).not.toBeNaN()
      expect(items.length).toBeGreaterThan(0)
      expect(new Set(items.map(({ name }) => name)).size).toBe(items.length)
    }
  })

  it('generates the same value for the same seed', () => {
    expect(seeds.map(generate)).toEqual(seeds.map(generate))
  })

  it('stops with required values when its budget is used up', () => {
    const endless: Record<string, unknown> = { type: 'object', properties: {} }
    endless['properties'] = { a: endless, b: endless, c: endless }
    const text = JSON.stringify(new ValueGenerator(new Random(1), 50).value(endless as never, ''))
    expect(text.length).toBeLessThan(2000)
  })
})

it('breaks a copy of an object, and does not change the object', () => {
  const object = generate(1) as never
  const before = JSON.stringify(object)
  const broken = seeds.map((seed) => JSON.stringify(breakObject(new Random(seed), object, schema)))
  expect(JSON.stringify(object)).toBe(before)
  expect(broken.filter((text) => text !== before).length).toBeGreaterThan(190)
  expect(new Set(broken).size).toBeGreaterThan(100)
})
