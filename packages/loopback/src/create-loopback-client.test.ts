import { newForbidden, Scheme } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { AdmissionAttributes, AdmissionChain } from '@keelson/registry'
import { openTestStore } from '@keelson/registry/testing'
import { expect, it } from 'vitest'
import { createLoopbackClient } from './create-loopback-client.ts'

interface Thing extends KubeObject {
  value?: number
  status?: { ready: boolean }
}
const gvk = { group: 'example.com', version: 'v1', kind: 'Thing' }
const things = defineResource<Thing>({
  ...gvk,
  plural: 'things',
  scope: 'Namespaced',
  strategy: { prepareForUpdate: (_context, thing, old) => void Object.assign(thing, { status: old.status }) },
  subresources: { status: { update: {} } },
})
const worlds = defineResource({ group: 'example.com', version: 'v1', kind: 'World', plural: 'worlds', scope: 'Cluster', strategy: {} })
const name = { group: 'example.com', resource: 'things' }
const readValue = (thing: Thing | undefined) => thing?.value

function open(options: Parameters<typeof createLoopbackClient>[0] = {}) {
  const test = openTestStore(things)
  const client = createLoopbackClient(options)
  const removeThings = client.add(gvk, test.paths)
  client.add(gvk, openTestStore(worlds).paths)
  return { client, removeThings, resource: client.resource<Thing>(name)!, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() }
}

it('supports every verb and returns undefined for missing objects', async () => {
  await using test = open()
  const { resource } = test
  expect(await resource.get('ns', 'a')).toBeUndefined()
  const created = (await resource.create('ns', { metadata: { name: 'a' }, value: 1 })).getObject()
  expect(await resource.get('ns', 'a')).toEqual(created)
  await resource.create('other', { metadata: { name: 'b' } })
  expect((await resource.list({ namespace: 'ns' })).items).toHaveLength(1)
  expect((await resource.list()).items).toHaveLength(2)
  expect((await resource.update('ns', 'a', (thing) => ({ ...thing, value: 2 }))).getObject().value).toBe(2)
  await expect(resource.update('ns', 'none', (thing) => thing)).rejects.toMatchObject({ reason: 'NotFound' })
  const ready = await resource.update('ns', 'a', (thing) => ({ ...thing, status: { ready: true } }), { subresource: 'status' })
  expect(ready.getObject().status).toEqual({ ready: true })
  await expect(resource.update('ns', 'a', (thing) => thing, { subresource: 'scale' })).rejects.toMatchObject({ reason: 'MethodNotAllowed' })
  await resource.delete('ns', 'a')
  await resource.deleteCollection('other')
  expect((await resource.list({ resourceVersion: '' })).items).toEqual([])
})

it('lists the deletable resources of the groups that are installed now', async () => {
  await using test = open()
  expect(test.client.listDeletableResources()).toEqual([
    { ...name, version: 'v1', kind: 'Thing', namespaced: true },
    { group: 'example.com', resource: 'worlds', version: 'v1', kind: 'World', namespaced: false },
  ])
  expect(test.client.resource({ group: '', resource: 'things' })).toBeUndefined()
  test.removeThings()
  expect(test.client.resource(name)).toBeUndefined()
  expect(test.client.listDeletableResources().map(({ resource }) => resource)).toEqual(['worlds'])
})

it('sets defaults in written objects', async () => {
  const scheme = new Scheme()
  scheme.register({ gvk, hub: gvk, setDefaults: (object) => void ((object as Thing).value ??= 42) })
  await using test = open({ scheme })
  expect((await test.resource.create('ns', { metadata: { name: 'a' } })).getObject().value).toBe(42)
})

it("passes writes through admission as the server's own user", async () => {
  const calls: string[] = []
  const record = async (half: string, { operation, object, oldObject, namespace, context }: AdmissionAttributes): Promise<void> => {
    expect(context.user).toMatchObject({ name: 'system:apiserver', groups: expect.arrayContaining(['system:masters']) })
    calls.push(`${half} ${operation} ${namespace} ${readValue(oldObject) ?? '-'}>${readValue(object) ?? '-'}`)
    if (operation === 'DELETE' && half === 'validate') throw newForbidden(name, 'a', 'stays')
  }
  const admission: AdmissionChain = { handles: () => true, admit: (a) => record('admit', a), validate: (a) => record('validate', a) }
  await using test = open({ getAdmission: () => admission })
  await test.resource.create('ns', { metadata: { name: 'a' }, value: 1 })
  await test.resource.update('ns', 'a', (thing) => Object.assign(thing, { value: 2 }))
  await expect(test.resource.delete('ns', 'a')).rejects.toMatchObject({ reason: 'Forbidden' })
  expect(calls).toEqual([
    'admit CREATE ns ->1',
    'validate CREATE ns ->1',
    'admit UPDATE ns 1>2',
    'validate UPDATE ns 1>2',
    'admit DELETE ns 2>-',
    'validate DELETE ns 2>-',
  ])
})
