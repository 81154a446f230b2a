import { createApiTypes, jsonKinds } from '@keelson/api'
import type { JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import type { ApiError, JsonObject, KubeObject } from '@keelson/apimachinery'
import { FieldManager } from '@keelson/apimachinery/managed-fields'
import type { VersionedKind } from '@keelson/apimachinery/managed-fields'
import { describe, expect, it } from 'vitest'
import { toMergeSchema } from './merge-schema.ts'

const text: JSONSchemaProps = { type: 'string' }
const port: JSONSchemaProps = {
  type: 'object',
  properties: { port: { type: 'integer' }, protocol: { ...text, default: 'TCP' }, name: text },
}
const spec: JSONSchemaProps = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    ports: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['port', 'protocol'], items: port },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    args: { type: 'array', items: text },
    selector: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: text },
    labels: { type: 'object', additionalProperties: text },
    max: { 'x-kubernetes-int-or-string': true },
    when: { type: 'string', format: 'date-time' },
    free: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { known: { type: 'object', properties: { a: text } } },
    },
    template: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { data: { type: 'object', additionalProperties: text } },
    },
  },
}
const v1Schema: JSONSchemaProps = { type: 'object', properties: { spec, status: { type: 'object', properties: { phase: text } } } }
const v2Schema: JSONSchemaProps = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } }

const group = 'example.com'
const kind = 'Widget'
const types = createApiTypes(
  [['v1', v1Schema] as const, ['v2', v2Schema] as const].map(([version, schema]) =>
    jsonKinds({ group, version }, [{ kind, mergeType: toMergeSchema(() => structuredClone(schema)) }]),
  ),
)
const clock = { now: Date.parse('2026-01-01T00:00:00Z') }

/** Converts between v1 (spec.replicas) and v2 (spec.size). */
function convert(object: KubeObject, _: string, to: string): KubeObject {
  const { spec, ...rest } = object as KubeObject & { spec?: { replicas?: number; size?: number } }
  if (spec === undefined) return object
  const count = spec.replicas ?? spec.size
  return { ...rest, spec: count === undefined ? {} : to.endsWith('v1') ? { replicas: count } : { size: count } } as KubeObject
}

function createManager(
  version: string,
  conversion: VersionedKind['convert'] = convert,
  prune?: (object: KubeObject) => void,
): FieldManager {
  return new FieldManager({
    kind: { group, version, kind },
    subresource: '',
    now: () => clock.now,
    versions: {
      schemaOf(apiVersion) {
        const type = types.kind({ group, version: apiVersion.split('/')[1]!, kind })
        return type && prune ? { ...type, prune } : type
      },
      fromHub: (object) => object,
      toHub: (object) => object,
      setDefaults: () => {},
      convert: conversion,
    },
  })
}

const v1 = createManager('v1')
const v2 = createManager('v2')

function apply(
  live: KubeObject | undefined,
  manager: string,
  spec: JsonObject,
  { through = v1, version = 'v1', force = false } = {},
): KubeObject {
  const config = { kind, apiVersion: `${group}/${version}`, metadata: { name: 'a' }, spec }
  const object = through.apply(live, config, manager, force)
  object.metadata.uid = 'u'
  return object
}

function update(live: KubeObject | undefined, manager: string, spec: JsonObject, through: FieldManager = v1): KubeObject {
  const next = { metadata: { name: 'a' }, spec } as unknown as KubeObject
  void through.update(live, next, manager)
  next.metadata.uid = 'u'
  return next
}

function listFieldSets(object: KubeObject): Record<string, unknown> {
  return Object.fromEntries((object.metadata.managedFields ?? []).map((entry) => [`${entry.manager} ${entry.apiVersion}`, entry.fieldsV1]))
}

function catchMessage(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return (error as ApiError).message
  }
  throw new Error('expected an error')
}

describe('server-side apply of custom objects', () => {
  it('tracks fields by their list types and map types, and tracks unknown fields', () => {
    const object = apply(undefined, 'a', {
      ports: [{ port: 80, name: 'http' }],
      tags: ['x'],
      args: ['y'],
      selector: { app: 'web' },
      labels: { tier: 'front' },
      max: '50%',
      when: '2026-01-01T00:00:00Z',
      free: { known: { a: 'b', more: { c: [1] } } },
      template: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { labels: { a: 'b' } }, data: { a: 'b' } },
    })
    expect(listFieldSets(object)['a example.com/v1']).toEqual({
      'f:spec': {
        'f:args': {},
        'f:free': { 'f:known': { 'f:a': {}, 'f:more': { 'f:c': {}, '.': {} } } },
        'f:labels': { 'f:tier': {} },
        'f:max': {},
        'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} } },
        'f:selector': {},
        'f:tags': { 'v:"x"': {} },
        'f:template': { 'f:apiVersion': {}, 'f:kind': {}, 'f:data': { 'f:a': {} }, 'f:metadata': { 'f:labels': { 'f:a': {} } } },
        'f:when': {},
      },
    })
  })

  it('merges lists with keys, and reports conflicts', () => {
    let object = apply(undefined, 'a', { ports: [{ port: 80, name: 'http' }], replicas: 1 })
    object = apply(object, 'b', { ports: [{ port: 80, protocol: 'UDP' }] })
    expect(object).toMatchObject({
      spec: {
        ports: [
          { port: 80, name: 'http' },
          { port: 80, protocol: 'UDP' },
        ],
      },
    })
    expect(catchMessage(() => apply(object, 'b', { replicas: 2 }))).toBe('Apply failed with 1 conflict: conflict with "a": .spec.replicas')
    expect(apply(object, 'b', { replicas: 2 }, { force: true })).toMatchObject({ spec: { ports: [{ name: 'http' }], replicas: 2 } })
  })

  it('reports a live object that does not match the schema', () => {
    const live = { metadata: { name: 'a', uid: 'u' }, spec: { replicas: 'x' } } as unknown as KubeObject
    const why = '.spec.replicas: expected numeric (int or float), got string'
    expect(catchMessage(() => apply(live, 'a', { replicas: 1 }))).toBe(
      `failed to create manager for existing fields: failed to convert new object (/a; example.com/v1, Kind=Widget) to smd typed: ${why}`,
    )
    const managed = update(undefined, 'b', { replicas: 1 })
    Object.assign(managed, { spec: { replicas: 'x' } })
    expect(catchMessage(() => apply(managed, 'a', { tags: ['n'] }))).toBe(
      `failed to create typed live object (/a; example.com/v1, Kind=Widget): ${why}`,
    )
  })

  it('merges an object of any type that an applied configuration empties', () => {
    let object = apply(undefined, 'a', { free: { known: { a: 'b' } } })
    object = apply(object, 'b', { free: {} })
    object = apply(object, 'a', { replicas: 1 })
    expect(listFieldSets(object)['b example.com/v1']).toEqual({ 'f:spec': { 'f:free': {} } })
  })

  it('rejects unknown fields and wrong types of an applied configuration', () => {
    const prefix = 'failed to create typed patch object (/a; example.com/v1, Kind=Widget): '
    expect(catchMessage(() => apply(undefined, 'a', { none: 1 }))).toBe(`${prefix}.spec.none: field not declared in schema`)
    expect(catchMessage(() => apply(undefined, 'a', { replicas: 'x' }))).toBe(
      `${prefix}.spec.replicas: expected numeric (int or float), got string`,
    )
    expect(catchMessage(() => apply(undefined, 'a', { tags: ['x', 'x'] }))).toBe(`${prefix}.spec.tags: duplicate entries for key [="x"]`)
    expect(catchMessage(() => apply(undefined, 'a', { template: { metadata: { none: 1 } } }))).toBe(
      `${prefix}.spec.template.metadata.none: field not declared in schema`,
    )
  })

  it('does not change the live object, even if the result is pruned or gets defaults', () => {
    const live = apply(undefined, 'a', { free: { known: { a: 'b', more: 1 } } })
    const before = JSON.stringify(live)
    const object = apply(live, 'b', { replicas: 1 })
    ;(object as unknown as { spec: { free: { known: { a: string } } } }).spec.free.known.a = 'changed'
    expect(JSON.stringify(live)).toBe(before)
  })

  it('prunes the result, because merging accepts more than the schema', () => {
    const prune = (object: KubeObject): void => void delete (object as unknown as { spec: { free: { more?: unknown } } }).spec.free.more
    const pruning = createManager('v1', convert, prune)
    expect(apply(undefined, 'a', { free: { known: { a: 'b' }, more: 1 } }, { through: pruning })).toMatchObject({
      spec: { free: { known: { a: 'b' } } },
    })
    expect(apply(undefined, 'a', { free: { more: 1 } }, { through: pruning })).not.toHaveProperty('spec.free.more')
  })

  it('removes all managers if the object does not match its schema', () => {
    expect(update(undefined, 'a', { replicas: 'x' }).metadata.managedFields).toBeUndefined()
    const object = update(undefined, 'a', { replicas: 1 })
    expect(update(object, 'b', { tags: ['x'], replicas: 1 }).metadata.managedFields).toHaveLength(2)
    expect(update(object, 'b', { tags: [['x']], replicas: 1 }).metadata.managedFields).toBeUndefined()
  })

  it('keeps the fields of each manager in the version that the manager wrote', () => {
    let object = apply(undefined, 'a', { replicas: 1 })
    object = convert(object, 'example.com/v1', 'example.com/v2')
    object = apply(object, 'b', { size: 2 }, { through: v2, version: 'v2', force: true })
    expect(listFieldSets(object)).toEqual({ 'b example.com/v2': { 'f:spec': { 'f:size': {} } } })
    expect(catchMessage(() => apply(convert(object, 'example.com/v2', 'example.com/v1'), 'c', { replicas: 3 }))).toBe(
      'Apply failed with 1 conflict: conflict with "b": .spec.size',
    )
  })

  it('waits for conversions, and removes all managers if a conversion fails', async () => {
    const object = convert(apply(undefined, 'a', { replicas: 1 }), 'example.com/v1', 'example.com/v2')
    const next = { metadata: { name: 'a' }, spec: { size: 1 }, other: 1 } as unknown as KubeObject
    await createManager('v2', (...args) => Promise.resolve(convert(...args))).update(object, next, 'b')
    expect(next.metadata.managedFields).toBeUndefined()
    const failing = createManager('v2', () => Promise.reject(new Error('conversion webhook for example.com/v2, Kind=Widget failed: x')))
    const config = { kind, apiVersion: 'example.com/v2', metadata: { name: 'a' }, spec: { size: 2 } }
    await expect(failing.applyInSteps(object, config, 'b', true)).rejects.toThrow(
      'failed to convert old object: conversion webhook for example.com/v2, Kind=Widget failed: x',
    )
  })
})
