import { describe, expect, it } from 'vitest'
import type { FieldSchema } from '../type-schema.ts'
import { createFieldSet, setOfPaths } from './field-set.ts'
import { foldAtomicFields, getMergeType } from './merge-type.ts'
import { createStructSchema as struct } from './struct-schema.fixture.ts'

const text: FieldSchema = { name: 'text', type: { kind: 'string' } }
const type = getMergeType(
  struct([
    { name: 'selector', type: struct([text], 'atomic') },
    { name: 'list', type: { kind: 'list', items: { kind: 'string' } } },
    { name: 'inner', type: struct([text]) },
    {
      name: 'items',
      type: {
        kind: 'list',
        listType: 'map',
        mapKeys: ['text'],
        items: struct([text, { name: 'list', type: { kind: 'list', items: text.type } }]),
      },
    },
  ]),
)

describe('foldAtomicFields', () => {
  it('gives a value that became atomic to the owners of its members', () => {
    const item = 'k:{"text":"a"}'
    const before = setOfPaths([
      ['f:selector', 'f:text'],
      ['f:list', 'v:"a"'],
      ['f:inner', 'f:text'],
      ['f:items', item],
      ['f:items', item, 'f:list', 'i:0'],
    ])
    const after = setOfPaths([['f:selector'], ['f:list'], ['f:inner', 'f:text'], ['f:items', item], ['f:items', item, 'f:list']])
    expect(JSON.stringify(foldAtomicFields(before, type))).toBe(JSON.stringify(after))
  })

  it('does not change unknown fields, and values that were atomic before', () => {
    const set = createFieldSet('selector', 'list', 'inner.text', 'unknown.part')
    expect(foldAtomicFields(set, type)).toBe(set)
  })
})
