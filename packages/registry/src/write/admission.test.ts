import { Scheme } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { testContext } from '../testing/test-context.ts'
import { noAdmission, WriteAttributes } from './admission.ts'
import type { AdmittedObjects, AdmittedWrite } from './admission.ts'

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

function attributes(objects: Partial<AdmittedObjects>, rest: Partial<AdmittedWrite> = {}): WriteAttributes {
  conversions = 0
  const route = {
    admission: noAdmission,
    scheme,
    gvk: hub,
    gvr: { group: 'example.com', version: 'v2', resource: 'things' },
    subresource: '',
  }
  const options = { dryRun: false, fieldManager: 'me', force: false, fieldValidation: 'Strict' } as const
  const write: AdmittedWrite = { route, context: testContext('ns'), name: 'a', dryRun: false, options, ...rest }
  return new WriteAttributes(write, 'UPDATE', { object: undefined, oldObject: undefined, isFinal: true, ...objects })
}

it('converts both objects to another version, and caches the conversion of final objects', () => {
  const object: Thing = { metadata: { name: 'a' }, size: 2 }
  const oldObject: Thing = { metadata: { name: 'a' }, size: 1 }
  const final = attributes({ object, oldObject })
  const versioned = final.as(old)
  expect(versioned).toEqual({
    kind: old,
    object: { metadata: { name: 'a' }, length: 2 },
    oldObject: { metadata: { name: 'a' }, length: 1 },
  })
  expect(final.as({ group: 'example.com', version: 'v1' })).toBe(versioned)
  expect(conversions).toBe(2)
})

it('returns the same objects for the hub version', () => {
  const object: Thing = { metadata: { name: 'a' }, size: 2 }
  expect(attributes({ object }).as(hub)).toEqual({ kind: hub, object, oldObject: undefined })
  expect(attributes({ object }).as(hub).object).toBe(object)
})

it('passes the changes of earlier plugins to later plugins, in every version', () => {
  const object: Thing = { metadata: { name: 'a' }, size: 2 }
  const mutable = attributes({ object, oldObject: { metadata: { name: 'a' } }, isFinal: false })
  const before = mutable.as(old)
  object.size = 3
  expect(mutable.as(old).object).toMatchObject({ length: 3 })
  expect(mutable.as(old).oldObject).toBe(before.oldObject)
})

it('refuses a version that is not served', () => {
  expect(() => attributes({}).as({ group: 'example.com', version: 'v3' })).toThrow('Thing is not served in version example.com/v3')
})

it('adds annotations to the audit event of the request, if it has one', () => {
  const annotations: string[] = []
  const context = { ...testContext('ns'), annotate: (key: string, value: string) => void annotations.push(`${key}=${value}`) }
  attributes({}, { context }).annotate('example.com/decision', 'allow')
  expect(annotations).toEqual(['example.com/decision=allow'])
  attributes({}).annotate('example.com/decision', 'allow')
})

it('sets the kind of the options by the operation', () => {
  expect(attributes({}).options).toEqual({
    kind: 'UpdateOptions',
    apiVersion: 'meta.k8s.io/v1',
    fieldManager: 'me',
    fieldValidation: 'Strict',
  })
})
