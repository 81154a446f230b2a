import { createApiTypes } from '@keelson/api'
import { appsV1 } from '@keelson/api/apps/v1'
import { coreV1 } from '@keelson/api/core/v1'
import { metaV1 } from '@keelson/api/meta/v1'
import { decodeStruct, formatGroupVersion, Scheme } from '@keelson/apimachinery'
import type { ApiError, GroupVersionKind, JsonObject, KubeObject } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { fourfold, measureProcessorTime } from '@keelson/apimachinery/testing'
import type { FieldFilter, FieldManager } from '@keelson/apimachinery/managed-fields'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createStorageFieldManager } from './write/route.ts'

// The clock stands still, so no step takes long, and `update` never pauses.
beforeEach(() => void vi.spyOn(performance, 'now').mockReturnValue(0))

const types = createApiTypes([coreV1, appsV1, metaV1])
const scheme = new Scheme()
const deployment: GroupVersionKind = { group: 'apps', version: 'v1', kind: 'Deployment' }
const configMap: GroupVersionKind = { group: '', version: 'v1', kind: 'ConfigMap' }
const pod: GroupVersionKind = { group: '', version: 'v1', kind: 'Pod' }
const clock = { now: Date.parse('2026-01-01T00:00:00Z') }

function createManager(kind: GroupVersionKind, subresource = '', resetFields?: FieldFilter): FieldManager {
  const storage = { gvk: kind, ...(resetFields && { resetFields }) }
  return createStorageFieldManager({ scheme, types, kind, storage, subresource, now: () => clock.now })!
}

function decodeObject(kind: GroupVersionKind, object: unknown): KubeObject {
  return decodeStruct<KubeObject>(types.kind(kind)!.schema, object as JsonObject).object
}

/** Applies and updates an object through the field manager, and keeps the object's last state as a store would. */
class Tracked {
  object: KubeObject | undefined
  readonly #kind: GroupVersionKind
  readonly #manager: FieldManager

  constructor(kind: GroupVersionKind, resetFields?: FieldFilter) {
    this.#kind = kind
    this.#manager = createManager(kind, '', resetFields)
  }

  apply(manager: string, config: JsonObject, force = false, through: FieldManager = this.#manager): this {
    const configuration = {
      kind: this.#kind.kind,
      apiVersion: formatGroupVersion(this.#kind),
      ...config,
      metadata: { name: 'a', ...(config['metadata'] as object) },
    }
    return this.#store(through.apply(this.#copy(), configuration, manager, force))
  }

  update(manager: string, object: JsonObject): this {
    const newObject = decodeObject(this.#kind, { ...object, metadata: { name: 'a', ...(object['metadata'] as object) } })
    void this.#manager.update(this.#copy(), newObject, manager)
    return this.#store(newObject)
  }

  #store(object: KubeObject): this {
    object.metadata.uid = 'u'
    this.object = object
    return this
  }

  #copy(): KubeObject | undefined {
    return this.object && (JSON.parse(JSON.stringify(this.object)) as KubeObject)
  }

  get managers(): Record<string, unknown> {
    return Object.fromEntries(
      (this.object?.metadata.managedFields ?? []).map((entry) => [`${entry.manager} ${entry.operation}`, entry.fieldsV1]),
    )
  }
}

function catchFailure(run: () => unknown): ApiError {
  try {
    run()
  } catch (error) {
    return error as ApiError
  }
  throw new Error('expected an error')
}

const createContainer = (name: string, image = 'i'): JsonObject => ({ name, image })

describe('objects with many managers', () => {
  const listKeys = (count: number, value: string): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]))
  const createAppliers = (count: number, fields: (i: number) => readonly number[]): NonNullable<KubeObject['metadata']['managedFields']> =>
    Array.from({ length: count }, (_, i) => ({
      manager: `m${i}`,
      operation: 'Apply',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': Object.fromEntries(fields(i).map((field) => [`f:k${field}`, {}])) },
    }))
  const createTracked = (count: number, before: JsonObject, after: JsonObject, fields: (i: number) => readonly number[]): Tracked => {
    const tracked = new Tracked(configMap).update('first', { data: before })
    tracked.object!.metadata.managedFields = createAppliers(count, fields)
    return tracked.update('last', { data: after })
  }

  it.each([5, 50])('an update removes changed and deleted fields from the managedFields of %i managers', (count) => {
    const oldData = { ...listKeys(3, 'a'), k7: 'same', k8: 'goes', k9: 'changes' }
    const newData = { k0: 'a', k1: 'b', k2: 'b', k7: 'same', k9: 'changed' }
    const { managers } = createTracked(count, oldData, newData, (i) => (i % 2 === 0 ? [0, 1, 8] : [1, 2, 8, 9]))
    const remainingManagers = Array.from({ length: Math.ceil(count / 2) }, (_, i) => [`m${2 * i} Apply`, { 'f:data': { 'f:k0': {} } }])
    expect(managers).toEqual({
      ...Object.fromEntries(remainingManagers),
      'last Update': { 'f:data': { 'f:k1': {}, 'f:k2': {}, 'f:k9': {} } },
    })
  })

  it('an update takes time proportional to managers plus changes, not to their product', async () => {
    const update = (count: number): Tracked => createTracked(count, listKeys(5 * count, 'a'), listKeys(5 * count, 'b'), (i) => [i])
    const timeOfFew = await measureProcessorTime(() => update(1000))
    expect(await measureProcessorTime(() => update(4000))).toBeLessThan(fourfold * timeOfFew)
  })
})

describe('updates', () => {
  it('an update records the fields that the manager sets, but no fields that the server sets', () => {
    const tracked = new Tracked(pod, withoutFields('status')).update('m', {
      metadata: { labels: { b: '1', a: '1' }, creationTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x/y'] },
      spec: { containers: [{ name: 'c', ports: [{ containerPort: 80, protocol: 'TCP' }], resources: {} }], tolerations: [{ key: 'k' }] },
      status: { phase: 'Pending' },
    })
    expect(tracked.object!.metadata.managedFields).toEqual([
      {
        manager: 'm',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:finalizers': { '.': {}, 'v:"x/y"': {} }, 'f:labels': { '.': {}, 'f:a': {}, 'f:b': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"c"}': {
                '.': {},
                'f:name': {},
                'f:ports': { '.': {}, 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} } },
                'f:resources': {},
              },
            },
            'f:tolerations': {},
          },
        },
      },
    ])
  })

  it('an update takes over only the fields that it changes', () => {
    const tracked = new Tracked(configMap)
    tracked.update('one', { data: { a: '1', b: '1' } }).update('two', { data: { a: '2', b: '1', c: '3' } })
    expect(tracked.managers).toEqual({
      'one Update': { 'f:data': { '.': {}, 'f:b': {} } },
      'two Update': { 'f:data': { 'f:a': {}, 'f:c': {} } },
    })
    tracked.update('three', {})
    expect(tracked.managers).toEqual({})
  })

  it('an update without changes keeps the timestamps', () => {
    const tracked = new Tracked(configMap).update('one', { data: { a: '1' } })
    const oldFields = tracked.object!.metadata.managedFields
    clock.now += 60_000
    expect(tracked.update('two', { data: { a: '1' } }).object!.metadata.managedFields).toEqual(oldFields)
  })

  it('an update may clear or replace managed fields, and invalid managed fields are ignored', () => {
    const tracked = new Tracked(configMap).update('one', { data: { a: '1' } })
    const oldManagers = tracked.managers
    const entry = { manager: 'one', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' }
    tracked.update('one', { metadata: { managedFields: [{ ...entry, fieldsType: 'Other' }] }, data: { a: '1' } })
    expect(tracked.managers).toEqual(oldManagers)
    tracked.update('one', { metadata: { managedFields: [{ ...entry, fieldsV1: { 'f:data': { 'f:z': {} } } }] }, data: { a: '1' } })
    expect(tracked.managers).toEqual({ 'one Update': { 'f:data': { 'f:z': {} } } })
    tracked.update('one', { metadata: { managedFields: [{}] }, data: { a: '1' } })
    expect(tracked.object!.metadata.managedFields).toBeUndefined()
    // After managedFields was cleared, updates are not tracked until the next server-side apply.
    tracked.update('two', { data: { a: '2' } })
    expect(tracked.object!.metadata.managedFields).toBeUndefined()
    tracked.apply('three', { data: { b: '1' } })
    expect(tracked.managers).toEqual({
      'before-first-apply Update': { 'f:data': { '.': {}, 'f:a': {} } },
      'three Apply': { 'f:data': { 'f:b': {} } },
    })
  })

  it('updates by more than ten managers merge the oldest entries into one', () => {
    const tracked = new Tracked(configMap)
    const data: Record<string, string> = {}
    for (let i = 0; i < 14; i++) {
      clock.now += 1000
      data[`k${String(i).padStart(2, '0')}`] = '1'
      tracked.update(`m${i}`, { data })
    }
    const names = tracked.object!.metadata.managedFields!.map(({ manager }) => manager)
    expect(names).toEqual(['ancient-changes', 'm5', 'm6', 'm7', 'm8', 'm9', 'm10', 'm11', 'm12', 'm13'])
    expect(tracked.managers['ancient-changes Update']).toEqual({
      'f:data': { '.': {}, 'f:k00': {}, 'f:k01': {}, 'f:k02': {}, 'f:k03': {}, 'f:k04': {} },
    })
  })

  it('an update records the owner of empty lists, which are not stored', () => {
    const { schema } = types.kind(pod)!
    const sentPod = { metadata: { name: 'a' }, spec: { containers: [], tolerations: [] } }
    const { object, emptied } = decodeStruct<KubeObject>(schema, sentPod)
    expect(emptied).toBe(true)
    void createManager(pod).update(undefined, object, 'm', decodeStruct<KubeObject>(schema, sentPod, { keepEmptyLists: true }).object)
    expect(object).toMatchObject({
      spec: { containers: null },
      metadata: { managedFields: [{ fieldsV1: { 'f:spec': { 'f:containers': {} } } }] },
    })
  })

  it.each([
    ['a list', { matchFields: [] }, { taken: true }],
    ['nothing', {}, { taken: false }],
  ])('an update takes over an atomic list if an item was sent with an empty %s', (_what, more, { taken }) => {
    const { schema } = types.kind(pod)!
    const term = { matchExpressions: [{ key: 'zone', operator: 'Exists' }] }
    const createPod = (members: object): JsonObject => ({
      metadata: { name: 'a' },
      spec: {
        containers: [],
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ ...term, ...members }] } } },
      },
    })
    const tracked = new Tracked(pod).update('first', createPod({}))
    const newObject = decodeObject(pod, createPod(more))
    void createManager(pod).update(
      tracked.object,
      newObject,
      'second',
      decodeStruct<KubeObject>(schema, createPod(more), { keepEmptyLists: true }).object,
    )
    const owners = newObject.metadata.managedFields!.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('f:requiredDuring'))
    expect(owners.map(({ manager }) => manager)).toEqual([taken ? 'second' : 'first'])
  })

  it('an update through another subresource or version has a separate managedFields entry, and duplicate list items are recorded once', () => {
    const tracked = new Tracked(pod)
    tracked.update('m', {
      spec: {
        containers: [
          {
            ...createContainer('a'),
            env: [
              { name: 'X', value: '1' },
              { name: 'X', value: '2' },
            ],
          },
        ],
      },
    })
    const { 'm Update': fields } = tracked.managers as { 'm Update': { 'f:spec': { 'f:containers': Record<string, JsonObject> } } }
    expect(fields['f:spec']['f:containers']['k:{"name":"a"}']!['f:env']).toEqual({ '.': {}, 'k:{"name":"X"}': {} })
    const newObject = JSON.parse(JSON.stringify({ ...tracked.object, status: { phase: 'Running' } })) as KubeObject
    void createManager(pod, 'status', withoutFields('spec')).update(tracked.object, newObject, 'm')
    expect(newObject.metadata.managedFields).toMatchObject([
      { manager: 'm' },
      { manager: 'm', subresource: 'status', fieldsV1: { 'f:status': { 'f:phase': {} } } },
    ])
  })
})

describe('server-side apply', () => {
  it('creates the object, and removes fields that the configuration no longer has', () => {
    const tracked = new Tracked(configMap).apply('one', { data: { a: '1', b: '1' } })
    expect(tracked.object).toMatchObject({ data: { a: '1', b: '1' } })
    expect(tracked.managers).toEqual({ 'one Apply': { 'f:data': { 'f:a': {}, 'f:b': {} } } })
    expect(tracked.apply('one', { data: { a: '2' } }).object).toMatchObject({ data: { a: '2' } })
    expect((tracked.object as { data?: object }).data).toEqual({ a: '2' })
  })

  it('refuses to take over fields of other managers, unless force is set', () => {
    const tracked = new Tracked(configMap).apply('one', { data: { a: '1', b: '1' } }).update('two', { data: { a: '1', b: '2' } })
    const conflict = catchFailure(() => tracked.apply('three', { data: { a: '3' } }))
    expect(conflict.status).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }] },
    })
    expect(catchFailure(() => tracked.apply('three', { data: { a: '3', b: '3' } })).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\nconflicts with "two" using v1:\n- .data.b',
    )
    tracked.apply('three', { data: { a: '3', b: '3' } }, true)
    expect(tracked.managers).toEqual({ 'three Apply': { 'f:data': { 'f:a': {}, 'f:b': {} } } })
  })

  it('shares a field with equal values, and keeps it until both managers drop it', () => {
    const tracked = new Tracked(configMap).apply('one', { data: { a: '1' } }).apply('two', { data: { a: '1' } })
    expect(tracked.managers).toEqual({ 'one Apply': { 'f:data': { 'f:a': {} } }, 'two Apply': { 'f:data': { 'f:a': {} } } })
    expect(tracked.apply('one', {}).object).toMatchObject({ data: { a: '1' } })
    expect((tracked.apply('two', { data: {} }).object as { data?: object }).data).toBeUndefined()
  })

  it('merges lists by key and sets by value, in the order of both objects', () => {
    const tracked = new Tracked(pod).apply('one', {
      metadata: { finalizers: ['x/1', 'x/2'] },
      spec: { containers: ['a', 'b', 'c'].map((name) => createContainer(name)) },
    })
    tracked.apply(
      'two',
      { metadata: { finalizers: ['x/3'] }, spec: { containers: [createContainer('c'), createContainer('new'), createContainer('a')] } },
      true,
    )
    const { metadata, spec } = tracked.object as KubeObject & { spec: { containers: { name: string }[] } }
    expect(metadata.finalizers).toEqual(['x/1', 'x/2', 'x/3'])
    expect(spec.containers.map(({ name }) => name).toSorted()).toEqual(['a', 'b', 'c', 'new'])
    tracked.apply('one', { metadata: { finalizers: ['x/2'] }, spec: { containers: [createContainer('b')] } })
    const merged = tracked.object as KubeObject & { spec: { containers: { name: string }[] } }
    expect(merged.metadata.finalizers).toEqual(['x/2', 'x/3'])
    expect(merged.spec.containers.map(({ name }) => name).toSorted()).toEqual(['a', 'b', 'c', 'new'])
  })

  it('matches items by keys with default values', () => {
    const createPort = (fields: JsonObject): JsonObject => ({ spec: { containers: [{ name: 'c', ports: [fields] }] } })
    const tracked = new Tracked(pod).apply('one', createPort({ containerPort: 80, name: 'web' }))
    tracked.apply('two', createPort({ containerPort: 80, protocol: 'TCP', hostPort: 8 }))
    tracked.apply('two', createPort({ containerPort: 80, protocol: 'UDP' }))
    const { spec } = tracked.object as KubeObject & { spec: { containers: { ports: JsonObject[] }[] } }
    expect(spec.containers[0]!.ports).toEqual([
      { name: 'web', containerPort: 80 },
      { containerPort: 80, protocol: 'UDP' },
    ])
  })

  it('treats atomic members as one field', () => {
    const createSelector = (app: string): JsonObject => ({ spec: { selector: { matchLabels: { app } } } })
    const tracked = new Tracked(deployment).apply('one', createSelector('a'))
    expect(tracked.managers).toEqual({ 'one Apply': { 'f:spec': { 'f:selector': {} } } })
    expect(catchFailure(() => tracked.apply('two', createSelector('b'))).message).toContain('.spec.selector')
  })

  it('changes nothing, not even the timestamp, if the configuration is the same', () => {
    const tracked = new Tracked(configMap).apply('one', { data: { a: '1' } })
    const oldObject = JSON.stringify(tracked.object)
    clock.now += 60_000
    expect(JSON.stringify(tracked.apply('one', { data: { a: '1' } }).object)).toBe(oldObject)
  })

  it('refuses configurations of another kind, with managed fields, or with unknown fields', () => {
    const manager = createManager(pod)
    const apply = (config: JsonObject): ApiError => catchFailure(() => manager.apply(undefined, config, 'm', false))
    expect(apply({ kind: 'Pod' })).toMatchObject({ code: 400, message: 'invalid object type: /, Kind=Pod' })
    expect(apply({ kind: 'Pod', apiVersion: 'v1', metadata: { managedFields: [] } })).toMatchObject({
      code: 400,
      message: 'metadata.managedFields must be nil',
    })
    const configuration = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' } }
    expect(apply({ ...configuration, spec: { bogus: 1 } })).toMatchObject({
      code: 500,
      message: 'failed to create typed patch object (/p; /v1, Kind=Pod): .spec.bogus: field not declared in schema',
    })
    expect(apply({ ...configuration, spec: { containers: [createContainer('a'), createContainer('a')], nodeName: 1 } }).message).toBe(
      'failed to create typed patch object (/p; /v1, Kind=Pod): errors:\n  .spec.containers: duplicate entries for key [name="a"]\n' +
        '  .spec.nodeName: expected string, got &value.valueUnstructured{Value:1}',
    )
    expect(apply({ ...configuration, metadata: { name: 'p', namespace: 1 } }).message).toBe(
      'failed to create typed patch object (/p; /v1, Kind=Pod): .metadata.namespace: expected string, got &value.valueUnstructured{Value:1}',
    )
  })

  it('reports the errors of decoding the merged object', () => {
    const port = { httpGet: { port: { a: 1 } } }
    const spec = { containers: [{ ...createContainer('c'), livenessProbe: port }] }
    const error = catchFailure(() => new Tracked(pod).apply('one', { metadata: { namespace: 'n' }, spec }))
    expect(error.code).toBe(500)
    expect(error.message).toMatch(
      /^failed to convert new object \(n\/a; \/v1, Kind=Pod\) to proper version: unable to convert unstructured object to \/v1, Kind=Pod: /,
    )
  })

  it('limits the length of errors for many and long unknown fields', () => {
    const long = 'x'.repeat(1_000_000)
    const env = Array.from({ length: 2000 }, (_, i) => ({ name: `E${i}`, value: '1' }))
    const tracked = new Tracked(pod).apply('one', { spec: { containers: [{ name: long, env }] } })
    const conflict = catchFailure(() =>
      tracked.apply('two', { spec: { containers: [{ name: long, env: env.map(({ name }) => ({ name, value: '2' })) }] } }),
    )
    expect(conflict.message).toMatch(/^Apply failed with 2000 conflicts: /)
    expect(conflict.message.length).toBeLessThan(10_000_000)
    const typeError = catchFailure(() =>
      tracked.apply('two', { spec: { containers: [{ name: long, env: env.map(({ name }) => ({ name, value: 2 })) }] } }),
    )
    expect(typeError.message.length).toBeLessThan(10_000_000)
  })

  it('takes over the fields of client-side apply when kubectl switches to server-side apply', () => {
    const lastApplied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1' } }
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(lastApplied) }
    const createTracked = (): Tracked =>
      new Tracked(configMap).update('kubectl-client-side-apply', { metadata: { annotations }, data: { a: '1', b: '1' } })
    expect(catchFailure(() => createTracked().apply('other', { data: { a: '2' } })).code).toBe(409)
    expect(catchFailure(() => createTracked().apply('kubectl', { data: { b: '2' } })).code).toBe(409)
    const { object } = createTracked().apply('kubectl', { data: { a: '2' } })
    expect(object).toMatchObject({ data: { a: '2', b: '1' } })
    expect(object!.metadata.annotations).toEqual({
      'kubectl.kubernetes.io/last-applied-configuration':
        '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"a"}}\n',
    })
  })
})
