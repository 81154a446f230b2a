import type { JsonValue } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { Normalizer } from './normalize.ts'

const step = { method: 'GET', path: '/' }
const ids = ['11111111-2222-3333-4444-555555555555', '99999999-2222-3333-4444-555555555555'] as const
const normalizeBody = (body: JsonValue, sent?: JsonValue): JsonValue =>
  new Normalizer().answer({ code: 200, type: 'application/json', body }, { ...step, ...(sent !== undefined && { body: sent }) }).body

describe('normalize', () => {
  it('numbers uids and resource versions in order of appearance', () => {
    const normalizer = new Normalizer()
    const answer = (uid: string, resourceVersion: string): JsonValue =>
      normalizer.answer({ code: 200, type: '', body: { metadata: { uid, resourceVersion } } }, step).body
    const first = answer(ids[0], '10')
    expect(first).toEqual({ metadata: { resourceVersion: '<rv#1>', uid: '<uid#1>' } })
    expect(answer(ids[0], '12')).toEqual({ metadata: { resourceVersion: '<rv#2>', uid: '<uid#1>' } })
    expect(answer(ids[1], '10')).toEqual({ metadata: { resourceVersion: '<rv#1>', uid: '<uid#2>' } })
  })

  it('replaces uids, resource versions and times in error messages', () => {
    const now = new Date().toISOString().replace(/\.\d+/, '')
    const message = `Invalid value: "{\\"uid\\":\\"${ids[0]}\\",\\"resourceVersion\\":\\"848\\",\\"creationTimestamp\\":\\"${now}\\"}"`
    expect(normalizeBody({ message })).toEqual({
      message: String.raw`Invalid value: "{\"uid\":\"<uid#1>\",\"resourceVersion\":\"<rv>\",\"creationTimestamp\":\"<time>\"}"`,
    })
  })

  it('replaces addresses and ports of services in error messages', () => {
    const message = String.raw`Invalid value: "{\"clusterIP\":\"10.0.3.4\",\"ports\":[{\"nodePort\":30001}]}", duplicate nodePort: {TCP 30001}`
    expect(normalizeBody({ message })).toEqual({
      message: String.raw`Invalid value: "{\"clusterIP\":\"<ip>\",\"ports\":[{\"nodePort\":<port>}]}", duplicate nodePort: {TCP <port>}`,
    })
    expect(normalizeBody({ message: 'at 10.0.3.4' }, { clusterIP: '10.0.3.4' })).toEqual({ message: 'at 10.0.3.4' })
  })

  it('replaces addresses and ports in YAML', () => {
    const yaml = 'clusterIP: 10.0.96.234\n  ports:\n  - nodePort: 30301\n    port: 80\n'
    expect(normalizeBody(yaml)).toBe('clusterIP: <ip>\n  ports:\n  - nodePort: <port>\n    port: 80\n')
    expect(normalizeBody(yaml, { clusterIP: '10.0.96.234', nodePort: 30301 })).toBe(yaml)
  })

  it('keeps values that the client sent', () => {
    const spec = { clusterIP: '10.0.3.4', ports: [{ nodePort: 30_001 }] }
    expect(normalizeBody({ spec })).toEqual({ spec: { clusterIP: '<ip>', ports: [{ nodePort: '<port>' }] } })
    expect(normalizeBody({ spec }, { spec })).toEqual({ spec })
    expect(normalizeBody({ at: '2020-01-01T00:00:00Z' })).toEqual({ at: '2020-01-01T00:00:00Z' })
  })

  it('replaces generated names', () => {
    const metadata = { generateName: 'a.b-' }
    expect(normalizeBody({ metadata: { ...metadata, name: 'a.b-x7k2q' }, message: 'pods "a.b-x7k2q" not found' }, { metadata })).toEqual({
      metadata: { generateName: 'a.b-', name: 'a.b-<random>' },
      message: 'pods "a.b-<random>" not found',
    })
  })

  it('ignores the order of managed fields only if the caller wants that', () => {
    const createBody = (...managers: string[]): JsonValue => ({ metadata: { managedFields: managers.map((manager) => ({ manager })) } })
    const sortItems = (body: JsonValue): JsonValue =>
      new Normalizer({ sortsManagedFields: true }).answer({ code: 200, type: 'application/json', body }, step).body
    expect(sortItems(createBody('b', 'a'))).toEqual(sortItems(createBody('a', 'b')))
    expect(sortItems(createBody('b', 'a'))).not.toEqual(sortItems(createBody('a', 'c')))
    expect(normalizeBody(createBody('b', 'a'))).not.toEqual(normalizeBody(createBody('a', 'b')))
  })

  it('ignores the order of several causes', () => {
    const createError = (...fields: string[]): JsonValue => ({
      message: fields.join(),
      details: { causes: fields.map((field) => ({ field })) },
    })
    expect(normalizeBody(createError('a', 'b'))).toEqual(normalizeBody(createError('b', 'a')))
    expect(normalizeBody(createError('a', 'b'))).not.toEqual(normalizeBody(createError('a', 'c')))
    expect(normalizeBody(createError('a'))).toEqual(createError('a'))
  })

  it('ignores the order of several errors in a message', () => {
    const createStatus = (...errors: string[]): JsonValue => ({ kind: 'Status', message: `failed: errors:\n  .${errors.join('\n  .')}` })
    expect(normalizeBody(createStatus('a: bad', 'b: bad'))).toEqual(normalizeBody(createStatus('b: bad', 'a: bad')))
    expect(normalizeBody(createStatus('a: bad', 'b: bad'))).not.toEqual(normalizeBody(createStatus('a: bad', 'c: bad')))
  })
})
