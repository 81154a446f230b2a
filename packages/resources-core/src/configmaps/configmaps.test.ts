import { coreV1 } from '@keelson/api/core/v1'
import type { ConfigMap } from '@keelson/api/core/v1'
import { decodeStruct, formatFieldError } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { configMaps, validateConfigMap, validateConfigMapUpdate } from './index.ts'

const metadata = { name: 'a', namespace: 'x' }
const create = (configMap: Partial<ConfigMap>): string[] => validateConfigMap({ metadata, ...configMap }).map(formatFieldError)
const update = (configMap: Partial<ConfigMap>, old: Partial<ConfigMap>): string[] =>
  validateConfigMapUpdate({ metadata, ...configMap }, { metadata, ...old }).map(formatFieldError)

describe('config maps', () => {
  it('rejects invalid keys, and keys in both data and binaryData', () => {
    expect(create({ data: { 'a.b_c-D': '', '..2': '' } })).toEqual(['data[..2]: Invalid value: "..2": must not start with \'..\''])
    expect(create({ data: { '': '' } })[0]).toMatch(/^data\[\]: Invalid value: "": a valid config key must consist of/)
    expect(create({ data: { k: '1' }, binaryData: { k: 'AA==' } })).toEqual([
      'data[k]: Invalid value: "k": duplicate of key present in binaryData',
    ])
  })

  it('limits data and binaryData to one MiB in total', () => {
    const half = 'é'.repeat(256 * 1024)
    const binaryHalf = Buffer.alloc(512 * 1024).toString('base64')
    expect(create({ data: { a: half }, binaryData: { b: binaryHalf } })).toEqual([])
    expect(create({ data: { a: half, c: '1' }, binaryData: { b: binaryHalf } })).toEqual([
      '[]: Too long: may not be more than 1048576 bytes',
    ])
  })

  it('rejects all changes of an immutable config map', () => {
    const old = { data: { a: '1' }, immutable: true }
    expect(update(old, old)).toEqual([])
    expect(update({ data: { a: '2' }, binaryData: { b: 'AA==' } }, old)).toEqual([
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
      'binaryData: Forbidden: field is immutable when `immutable` is set',
    ])
    const { schema } = coreV1.kinds.find(({ gvk }) => gvk.kind === 'ConfigMap')!
    const emptied = decodeStruct<ConfigMap>(schema, { metadata, immutable: true, data: {}, binaryData: {} }).object
    // `data` has a default, so an empty map equals an absent one.
    expect(validateConfigMapUpdate(emptied, { metadata, immutable: true }).map(formatFieldError)).toEqual([
      'binaryData: Forbidden: field is immutable when `immutable` is set',
    ])
    expect(update({ data: { a: '2' } }, { data: { a: '1' } })).toEqual([])
  })

  it('prints the number of keys as a column', () => {
    const table = createTableConvertor(configMaps)
    expect(table.columns.map(({ name }) => name)).toEqual(['Name', 'Data', 'Age'])
    expect(table.createCells({ metadata, data: { a: '' }, binaryData: { b: '' } } as ConfigMap, 0)).toEqual(['a', 2, '<unknown>'])
  })
})
