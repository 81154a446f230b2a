import { createApiTypes, jsonKinds } from '@keelson/api'
import type { KindType } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import { Scheme } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { mergeTypes } from '@keelson/apimachinery/managed-fields'
import { expect, it } from 'vitest'
import type { OtherVersions } from '../resource-definition.ts'
import { testContext } from '../testing/test-context.ts'
import { noAdmission, WriteAttributes } from './admission.ts'
import type { AdmittedObjects, AdmittedRoute, AdmittedWrite } from './admission.ts'

interface Thing extends KubeObject {
  size?: number
  length?: number
}
const hub = { group: 'example.com', version: 'v2', kind: 'Thing' }
const old = { ...hub, version: 'v1' }
let conversions = 0
const scheme = new Scheme()
scheme.register({ gvk: hub, hub })
scheme.register({
  gvk: old,
  hub,
  fromHub({ metadata, size }: Thing) {
    conversions++
    return { metadata, length: size } as Thing
  },
})

const plainRoute: AdmittedRoute = {
  admission: noAdmission,
  scheme,
  gvk: hub,
  gvr: { group: 'example.com', version: 'v2', resource: 'things' },
  subresource: '',
  types: createApiTypes([]),
  otherVersions: undefined,
  listEquivalents: () => [],
}

function createAttributes(objects: Partial<AdmittedObjects>, overrides: Partial<AdmittedWrite> = {}): WriteAttributes {
  conversions = 0
  const options = { dryRun: false, fieldManager: 'me', force: false, fieldValidation: 'Strict', sentFieldValidation: 'Strict' } as const
  const write: AdmittedWrite = { route: plainRoute, context: testContext('ns'), name: 'a', dryRun: false, options, ...overrides }
  return new WriteAttributes(write, 'UPDATE', { object: undefined, oldObject: undefined, isFinal: true, ...objects })
}

it('converts both objects to another version, and caches the conversion of final objects', () => {
  const object: Thing = { metadata: { name: 'a' }, size: 2 }
  const oldObject: Thing = { metadata: { name: 'a' }, size: 1 }
  const final = createAttributes({ object, oldObject })
  const versioned = final.as(old)
  expect(versioned).toEqual({
    kind: old,
    object: { kind: 'Thing', apiVersion: 'example.com/v1', metadata: { name: 'a' }, length: 2 },
    oldObject: { kind: 'Thing', apiVersion: 'example.com/v1', metadata: { name: 'a' }, length: 1 },
  })
  expect(final.as({ group: 'example.com', version: 'v1' })).toBe(versioned)
  expect(conversions).toBe(2)
})

it('adds kind and apiVersion to the objects of the hub version', () => {
  const object: Thing = { metadata: { name: 'a' }, size: 2 }
  const typed = { kind: 'Thing', apiVersion: 'example.com/v2', ...object }
  expect(createAttributes({ object }).as(hub)).toEqual({ kind: hub, object: typed, oldObject: undefined })
})

it('sets the fields that kube-apiserver prints although they are empty', async () => {
  const gvk = { group: '', version: 'v1', kind: 'Service' }
  const route = { ...plainRoute, scheme: new Scheme(), gvk, types: createApiTypes([coreV1]) }
  const { object } = await createAttributes({ object: { metadata: { name: 'a' } } }, { route }).as(gvk)
  expect(JSON.stringify(object)).toBe('{"kind":"Service","apiVersion":"v1","metadata":{"name":"a"},"spec":{},"status":{"loadBalancer":{}}}')
})

it('converts custom objects by the conversion of their definition', async () => {
  const otherVersions: OtherVersions = {
    findSchema: (apiVersion) => (apiVersion === 'example.com/v3' ? ({} as KindType) : undefined),
    hasSubresource: () => false,
    listSubresourceVersions: () => [],
    convert: (object, from, to) => Promise.resolve({ ...object, converted: `${from} to ${to}` }),
  }
  const object: Thing = { metadata: { name: 'a' } }
  const custom = createAttributes({ object }, { route: { ...plainRoute, otherVersions } })
  const versioned = custom.as({ group: 'example.com', version: 'v3' })
  expect(await versioned).toMatchObject({ object: { apiVersion: 'example.com/v3', converted: 'example.com/v2 to example.com/v3' } })
  expect(custom.as({ group: 'example.com', version: 'v3' })).toBe(versioned)
})

it('passes the changes of earlier plugins to later plugins, in every version', async () => {
  const object: Thing = { metadata: { name: 'a' }, size: 2 }
  const mutable = createAttributes({ object, oldObject: { metadata: { name: 'a' } }, isFinal: false })
  const before = await mutable.as(old)
  object.size = 3
  const after = await mutable.as(old)
  expect(after.object).toMatchObject({ length: 3 })
  expect(after.oldObject).toBe(before.oldObject)
})

it('refuses a version that is not served', () => {
  expect(() => createAttributes({ object: { metadata: {} } }).as({ group: 'example.com', version: 'v3' })).toThrow(
    'Thing is not served in version example.com/v3',
  )
})

it('decodes a document of a version, strictly or by the rules of conversions', () => {
  const gvk = { group: '', version: 'v1', kind: 'ConfigMap' }
  const write = createAttributes({}, { route: { ...plainRoute, gvk, types: createApiTypes([coreV1]) } })
  const document = { kind: 'ConfigMap', apiVersion: 'v1', b: 1, a: 2, data: { k: 'v' } }
  expect(write.decode(gvk, document)).toEqual({ kind: 'ConfigMap', apiVersion: 'v1', metadata: {}, data: { k: 'v' } })
  expect(() => write.decode(gvk, document, { strict: true })).toThrow('strict decoding error: unknown field "a", unknown field "b"')
  const invalid = { binaryData: { k: '!' } }
  expect(() => write.decode(gvk, invalid)).toThrow(/^illegal base64 data at input byte 0$/)
  expect(() => write.decode(gvk, invalid, { converting: true })).toThrow(/^error decoding from json: illegal base64 data at input byte 0$/)
  expect(() => write.decode({ group: '', version: 'v9' }, document)).toThrow('no kind "ConfigMap" is registered for version "v9"')
})

it('drops the unknown fields of a custom resource, also in a strictly decoded document', () => {
  const prune = (object: KubeObject & { unknown?: string }): readonly string[] => (delete object.unknown, [])
  const mergeType = mergeTypes.deduced
  const [type] = jsonKinds({ group: 'example.com', version: 'v2' }, [{ kind: 'Thing', listKind: 'ThingList', mergeType, prune }]).kinds
  const otherVersions = { findSchema: () => type } as unknown as OtherVersions
  const write = createAttributes({}, { route: { ...plainRoute, otherVersions } })
  const document = { metadata: { name: 'a' }, unknown: 'x' }
  expect(write.decode(hub, document, { strict: true })).toEqual({ kind: 'Thing', apiVersion: 'example.com/v2', metadata: { name: 'a' } })
})

it('adds annotations to the audit event of the request, if it has one', () => {
  const annotations: string[] = []
  const context = { ...testContext('ns'), annotate: (key: string, value: string) => void annotations.push(`${key}=${value}`) }
  createAttributes({}, { context }).annotate('example.com/decision', 'allow')
  expect(annotations).toEqual(['example.com/decision=allow'])
  createAttributes({}).annotate('example.com/decision', 'allow')
})

it('sets the kind of the options by the operation', () => {
  expect(createAttributes({}).options).toEqual({
    kind: 'UpdateOptions',
    apiVersion: 'meta.k8s.io/v1',
    fieldManager: 'me',
    fieldValidation: 'Strict',
  })
})

const pods = { group: '', version: 'v1', kind: 'Pod' }
const podRoute: AdmittedRoute = { ...plainRoute, scheme: new Scheme(), gvk: pods, types: createApiTypes([coreV1]) }

it('decodes an object without the fields that its version does not have', () => {
  const sent = { kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [], nosuch: 1 } }
  const decoded = createAttributes({}, { route: podRoute }).decode(pods, sent)
  expect(decoded).toMatchObject({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } })
  expect(decoded).not.toHaveProperty('spec.nosuch')
})

it.each([
  [{ kind: 'Pod', metadata: { labels: 1 } }, 'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels'],
  [{ kind: 'Service', apiVersion: 'v1' }, 'converting (v1.Service) to (core.Pod): unknown conversion'],
  [{ kind: 'Nosuch', apiVersion: 'v1' }, 'no kind "Nosuch" is registered for version "v1"'],
])('refuses to decode %j', (document, message) => {
  expect(() => createAttributes({}, { route: podRoute }).decode(pods, document, { checksKind: true })).toThrow(message)
})

it('refuses to decode a custom resource without its kind, and drops fields that its schema does not have', () => {
  const prune = (object: KubeObject): readonly string[] => (delete (object as { extra?: unknown }).extra ? ['extra'] : [])
  const [type] = jsonKinds({ group: 'example.com', version: 'v1' }, [{ kind: 'Thing', prune }]).kinds
  const otherVersions: OtherVersions = {
    findSchema: () => type,
    hasSubresource: () => false,
    listSubresourceVersions: () => [],
    convert: (object) => object,
  }
  const custom = createAttributes({}, { route: { ...plainRoute, otherVersions } })
  const checksKind = true
  expect(custom.decode(old, { kind: 'Thing', metadata: {}, extra: 1 }, { checksKind })).toEqual({
    kind: 'Thing',
    apiVersion: 'example.com/v1',
    metadata: {},
  })
  expect(() => custom.decode(old, { metadata: {} }, { checksKind })).toThrow(`Object 'Kind' is missing in '{"metadata":{}}'`)
  expect(() => custom.decode(old, { kind: 'Other', metadata: { name: 'a' } }, { checksKind })).toThrow(
    'Other.example.com "a" is invalid: kind: Invalid value: "Other": must be Thing',
  )
})

it('replaces the object in place, with the defaults of its version, converted to the hub version', async () => {
  const replacing = new Scheme()
  replacing.register({ gvk: hub, hub })
  replacing.register({
    gvk: old,
    hub,
    setDefaults: (object: Thing) => void (object.length ??= 7),
    toHub: ({ metadata, length }: Thing) => ({ metadata, size: length }) as Thing,
  })
  const object: Thing = { metadata: { name: 'a' }, size: 2 }
  const mutable = createAttributes({ object, isFinal: false }, { route: { ...plainRoute, scheme: replacing } })
  await mutable.replace({ kind: 'Thing', apiVersion: 'example.com/v1', metadata: { name: 'b' } })
  expect(mutable.object).toBe(object)
  expect(object).toEqual({ metadata: { name: 'b' }, size: 7 })
})
