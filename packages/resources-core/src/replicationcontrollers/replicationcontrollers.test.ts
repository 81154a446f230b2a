import { createApiTypes } from '@keelson/api'
import { autoscalingV1 } from '@keelson/api/autoscaling/v1'
import type { Scale } from '@keelson/api/autoscaling/v1'
import { coreV1 } from '@keelson/api/core/v1'
import type { ReplicationController } from '@keelson/api/core/v1'
import { formatFieldError } from '@keelson/apimachinery'
import type { Getter, Updater } from '@keelson/registry'
import { openTestStore, getPlainObject, put, testContext } from '@keelson/registry/testing'
import { describe, expect, it } from 'vitest'
import { replicationControllers, setReplicationControllerDefaults } from './index.ts'
import { validateReplicationControllerStatus } from './validate.ts'

const types = createApiTypes([coreV1, autoscalingV1])
const context = testContext('ns')

function createController(): ReplicationController {
  const created: ReplicationController = {
    metadata: { name: 'c' },
    spec: { template: { metadata: { labels: { b: '2', a: '1' } }, spec: { containers: [{ name: 'c', image: 'i' }] } } },
  }
  setReplicationControllerDefaults(created)
  return created
}

describe('replication controllers', () => {
  it('sets one replica and the labels of the template by default', () => {
    expect(createController()).toMatchObject({
      metadata: { labels: { a: '1', b: '2' } },
      spec: { replicas: 1, selector: { a: '1', b: '2' } },
    })
  })

  it('rejects status counts above replicas', () => {
    const status = { replicas: 1, readyReplicas: 2, availableReplicas: 3, observedGeneration: -1 }
    expect(validateReplicationControllerStatus({ ...createController(), status }).map(formatFieldError)).toEqual([
      'status.observedGeneration: Invalid value: -1: must be greater than or equal to 0',
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas',
    ])
  })

  it('shows the labels of the template if a status update has removed the labels', async () => {
    await using test = openTestStore(replicationControllers, { types })
    await test.store.create(context, createController(), { dryRun: false })
    const status = test.paths.get('replicationcontrollers/status') as unknown as Updater
    const labels = { a: '1', b: '2' }
    const { object } = await status.update(context, 'c', { change: put({ metadata: { name: 'c' } }), dryRun: false })
    expect(getPlainObject(object).metadata.labels).toEqual(labels)
    expect(getPlainObject(await test.store.get(context, 'c', {})).metadata.labels).toEqual(labels)
  })

  it('scales a replication controller without a full decode', async () => {
    await using test = openTestStore(replicationControllers, { types })
    await test.store.create(context, createController(), { dryRun: false })
    const storage = test.paths.get('replicationcontrollers/scale') as unknown as Getter & Updater
    const scale = getPlainObject(await storage.get(context, 'c', {})) as Scale
    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 1 }, status: { replicas: 0, selector: 'a=1,b=2' } })
    expect(test.paths.get('replicationcontrollers/scale')!.table!.columns.map(({ name }) => name)).toEqual([
      'Name',
      'Desired',
      'Available',
      'Age',
    ])
    expect(test.paths.get('replicationcontrollers/scale')!.table!.createCells(scale, Date.now()).slice(0, 3)).toEqual(['c', 1, 0])
    const write = (change: Scale): Promise<unknown> => storage.update(context, 'c', { change: put(change), dryRun: false })
    await write({ ...scale, spec: { replicas: 3 } })
    const scaled = getPlainObject(await test.store.get(context, 'c', {})) as ReplicationController
    expect(scaled).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3, selector: { a: '1' } } })
    await expect(write({ ...scale, spec: { replicas: 4 } })).rejects.toMatchObject({ code: 409 })
    const { resourceVersion: _old, ...metadata } = scale.metadata
    await expect(write({ ...scale, metadata, spec: { replicas: -1 } })).rejects.toMatchObject({ code: 422 })
    await expect(write({ ...scale, metadata: { ...metadata, uid: 'other' } })).rejects.toMatchObject({ code: 409 })
    await write({ ...scale, metadata, spec: { replicas: 5 } })
  })
})
