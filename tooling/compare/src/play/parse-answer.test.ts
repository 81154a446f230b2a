import { encodeBody, protobuf } from '@keelson/tooling-e2e/encode-body'
import { describe, expect, it } from 'vitest'
import { parseAnswer } from './parse-answer.ts'

const parse = (type: string, text: string): Promise<unknown> => parseAnswer(type, Buffer.from(text))

describe('an answer', () => {
  it('is a value when it is JSON, one or several', async () => {
    expect(await parse('application/json', '{"a":1}')).toEqual({ a: 1 })
    expect(await parse('application/json', '{"a":1}\n{"a":2}\n')).toEqual({ stream: [{ a: 1 }, { a: 2 }] })
    expect(await parse('text/plain', '{"a":1}')).toEqual({ a: 1 })
    expect(await parse('application/json', '{"a":')).toBe('{"a":')
  })

  it('is a value when it is protobuf of a kind that is known', async () => {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } }
    expect(await parseAnswer(protobuf, Buffer.from(await encodeBody(map, protobuf)))).toMatchObject(map)
    expect(await parse(protobuf, 'ab')).toBe('6162')
  })

  it('is text when it is YAML, except tables', async () => {
    expect(await parse('application/yaml', 'kind: A\n')).toBe('kind: A\n')
    expect(await parse('application/yaml', 'kind: Table\nrows: []\n')).toEqual({ kind: 'Table', rows: [] })
  })
})
