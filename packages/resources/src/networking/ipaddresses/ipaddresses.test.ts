import { createApiTypes } from '@keelson/api'
import { networkingV1 } from '@keelson/api/networking/v1'
import type { IPAddress } from '@keelson/api/networking/v1'
import { copyObject } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { openTestStore, getPlainObject, put, testContext } from '@keelson/registry/testing'
import type { TestStore } from '@keelson/registry/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ipAddresses } from './index.ts'

const context = testContext('')
const parentRef = { group: '', resource: 'services', namespace: 'ns', name: 'a' }
const createAddress = (name: string, spec: IPAddress['spec'] = { parentRef }): IPAddress => ({ metadata: { name }, spec })

let test: TestStore<IPAddress>
beforeEach(() => void (test = openTestStore(ipAddresses, { types: createApiTypes([networkingV1]) })))
afterEach(() => test[Symbol.asyncDispose]())
const create = async (object: IPAddress): Promise<KubeObject> => getPlainObject(await test.store.create(context, object, { dryRun: false }))

describe('addresses', () => {
  it('requires the canonical address as name, and cannot be allocated twice', async () => {
    await create(createAddress('10.0.0.1'))
    await create(createAddress('fd00::1'))
    await expect(create(createAddress('10.0.0.1'))).rejects.toMatchObject({ reason: 'AlreadyExists' })
    for (const name of ['a', '010.0.0.1', 'FD00::1', 'fd00:0::1']) {
      await expect(create(createAddress(name))).rejects.toMatchObject({
        reason: 'Invalid',
        details: { causes: [{ field: 'metadata.name' }] },
      })
    }
  })

  it('adds no random suffix to generateName', async () => {
    const object = createAddress('')
    object.metadata = { generateName: '10.0.0.9' }
    expect((await create(object)).metadata.name).toBe('10.0.0.9')
  })

  it('rejects changes of the parent', async () => {
    await expect(create(createAddress('10.0.0.1', {}))).rejects.toMatchObject({ details: { causes: [{ field: 'spec.parentRef' }] } })
    const created = await create(createAddress('10.0.0.1'))
    const moved = copyObject(created) as IPAddress
    moved.spec = { parentRef: { ...parentRef, name: 'b' } }
    await expect(test.store.update(context, '10.0.0.1', { change: put(moved), dryRun: false })).rejects.toThrow(
      'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"ns","Name":"b"}: field is immutable',
    )
  })

  it('prints the parent and the age as columns', () => {
    expect(test.store.table.columns.map(({ name }) => name)).toEqual(['Name', 'ParentRef'])
    expect(test.store.table.createCells(createAddress('10.0.0.1'), 0)).toEqual(['10.0.0.1', 'services/ns/a', '<unknown>'])
  })
})
