import { encodeBody, protobuf } from '@keelson/tooling-e2e/encode-body'
import { describe, expect, it } from 'vitest'
import { parseAnswer } from './parse-answer.ts'

const parse = (type: string, text: string): Promise<unknown> => parseAnswer(type, Buffer.from(text))

describe('parseAnswer', () => {
  it('parses JSON and JSON lines', async () => {
    expect(await parse('application/json', '{"a":1}')).toEqual({ a: 1 })
    expect(await parse('application/json', '{"a":1}\n{"a":2}\n')).toEqual({ stream: [{ a: 1 }, { a: 2 }] })
    expect(await parse('text/plain', '{"a":1}')).toEqual({ a: 1 })
    expect(await parse('application/json', '{"a":')).toBe('{"a":')
  })

  it('decodes protobuf of known kinds', async () => {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } }
    expect(await parseAnswer(protobuf, Buffer.from(await encodeBody(map, protobuf)))).toMatchObject(map)
    expect(await parse(protobuf, 'ab')).toBe('6162')
  })

  it('returns YAML as text, except tables', async () => {
    expect(await parse('application/yaml', 'kind: A\n')).toBe('kind: A\n')
    expect(await parse('application/yaml', 'kind: Table\nrows: []\n')).toEqual({ kind: 'Table', rows: [] })
  })
})
