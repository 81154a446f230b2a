import { isApiError } from '@keelson/apimachinery'
import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import type { JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import { validateInSlices } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { compileSchema } from './compile-schema.ts'
import type { CompiledSchema } from './compile-schema.ts'

function compileList(items: JSONSchemaProps): CompiledSchema {
  return compileSchema({ type: 'object', properties: { list: { type: 'array', items } } })
}

function createList(length: number, item: () => JsonValue): JsonObject {
  return { list: Array.from({ length }, item) }
}

/** A thousand alternatives, of which only the last accepts an object with the member `a`. */
const alternatives: JSONSchemaProps[] = Array.from({ length: 1000 }, (_, i) => ({ required: [i === 999 ? 'a' : `b${i}`] }))

describe('hostile objects', () => {
  it('validation runs in time slices if alternatives multiply the work', async () => {
    const schema = compileList({ type: 'object', properties: { a: { type: 'integer' } }, anyOf: alternatives })
    const object = createList(1000, () => ({ a: 1 }))
    let calls = 0
    const errors = await validateInSlices({ signal: new AbortController().signal }, (steps) => {
      calls++
      return schema.validate(object, undefined, { steps })
    })
    expect(errors).toEqual([])
    expect(calls).toBeGreaterThan(1)
    expect(schema.validate(object)).toEqual([])
  })

  it('validation reports no more errors than the limit of a request', () => {
    const schema = compileList({ type: 'integer' })
    const errors = schema.validate(createList(50_000, () => 'x'))
    expect(errors.length).toBeGreaterThan(1000)
    expect(errors.length).toBeLessThan(1200)
  })

  it('validation takes linear time with a large enum and reports short errors', () => {
    const schema = compileList({ type: 'string', enum: Array.from({ length: 50_000 }, (_, n) => `value-${n}`) })
    const began = performance.now()
    expect(schema.validate(createList(20_000, () => 'value-49999'))).toEqual([])
    const errors = schema.validate(createList(20_000, () => 'missing'))
    expect(performance.now() - began).toBeLessThan(2000)
    expect(errors.length).toBeGreaterThan(1)
    expect(errors.reduce((length, { detail }) => length + detail.length, 0)).toBeLessThan(10_000_000)
  })

  it('validation runs in time slices if many patterns must be compiled', async () => {
    const names = Array.from({ length: 500 }, (_, n) => `f${n}`)
    const properties = Object.fromEntries(names.map((name, n) => [name, { type: 'string', pattern: `^[a-c]{1,${n + 100}}${n}$` }]))
    const schema = compileSchema({ type: 'object', properties })
    const object = Object.fromEntries(names.map((name, n) => [name, `a${n}`]))
    let calls = 0
    const errors = await validateInSlices({ signal: new AbortController().signal }, (steps) => {
      calls++
      return schema.validate(object, undefined, { steps })
    })
    expect(errors).toEqual([])
    expect(calls).toBeGreaterThan(5)
  })

  it('defaults cannot use up the memory', () => {
    const schema = compileList({ type: 'object', properties: { a: { type: 'string', default: 'x'.repeat(100_000) } } })
    expect(() => schema.setDefaults(createList(1000, () => ({})))).toThrow('the defaults of the schema are larger than 3145728 characters')
    expect(() => schema.setDefaults(createList(10, () => ({})))).not.toThrow()
  })

  it('an object that is nested too deeply gets a 400', () => {
    let props: JSONSchemaProps = { type: 'integer' }
    let value: JsonValue = 'x'
    for (let i = 0; i < 20_000; i++) {
      props = { type: 'array', items: props }
      value = [value]
    }
    const schema = compileSchema({ type: 'object', properties: { a: props } })
    const object = { a: value }
    const isBadRequest = (error: unknown): boolean => isApiError(error, 'BadRequest')
    for (const run of [() => schema.prune(object), () => schema.validate(object)]) {
      let problem: unknown
      try {
        run()
      } catch (error) {
        problem = error
      }
      expect(isBadRequest(problem)).toBe(true)
    }
    expect(schema.prune({ b: 1 })).toEqual(['b'])
  })
})
