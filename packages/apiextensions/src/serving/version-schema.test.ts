import type { JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import type { KubeObject } from '@keelson/apimachinery'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { VersionSchema } from './version-schema.ts'

const gvk = { group: 'example.com', version: 'v1', kind: 'Widget' }

function createSchema(fields: number): JSONSchemaProps {
  const names = Array.from({ length: fields }, (_, n) => `f${n}`)
  return {
    type: 'object',
    properties: Object.fromEntries(
      names.map((name, n) => [name, { type: 'string', maxLength: n, 'x-kubernetes-validations': [{ rule: 'true' }] }]),
    ),
  }
}

function createSource(schema: JSONSchemaProps): ConstructorParameters<typeof VersionSchema>[1] & { loads: number } {
  return {
    loads: 0,
    load() {
      this.loads++
      return schema
    },
    loadText: () => JSON.stringify(schema),
    size: () => JSON.stringify(schema).length,
  }
}

describe('the schema of a version', () => {
  it('a large schema is compiled in time slices', async () => {
    const source = createSource(createSchema(50_000))
    const schema = new VersionSchema(gvk, source)
    const preparing = schema.prepare()
    expect(schema.prepare()).toBe(preparing)
    let turns = 0
    let isPrepared = false
    void preparing!.then(() => (isPrepared = true))
    for (; !isPrepared; turns++) await nextTurn()
    expect(turns).toBeGreaterThan(3)
    expect(schema.prepare()).toBeUndefined()
    expect(schema.prune({ metadata: {}, f1: 'x', other: 1 } as KubeObject)).toEqual(['other'])
    expect(schema.hasRules).toBe(true)
    expect(source.loads).toBe(1)
  })

  it('a small schema is compiled on first use', () => {
    const source = createSource(createSchema(5))
    const schema = new VersionSchema(gvk, source)
    expect(schema.prepare()).toBeUndefined()
    expect(source.loads).toBe(0)
    expect(schema.prune({ metadata: {}, other: 1 } as KubeObject)).toEqual(['other'])
    expect(source.loads).toBe(1)
  })

  it('prepare can be repeated after reading the definition failed', async () => {
    let fails = true
    const source = {
      ...createSource(createSchema(1)),
      load: (): JSONSchemaProps => (fails ? raise() : createSchema(1)),
      size: () => 1_000_000,
    }
    const schema = new VersionSchema(gvk, source)
    await expect(schema.prepare()).rejects.toThrow('unreadable')
    fails = false
    await schema.prepare()
    expect(schema.prepare()).toBeUndefined()
  })
})

function raise(): never {
  throw new Error('unreadable')
}
