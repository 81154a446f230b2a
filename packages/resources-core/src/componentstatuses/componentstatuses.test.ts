import { selectEveryField, selectEverything, parseLabelSelector } from '@keelson/apimachinery'
import { getPlainObject, testContext } from '@keelson/registry/testing'
import { expect, it } from 'vitest'
import { createComponentStatuses } from './index.ts'

const context = testContext('')
const storage = createComponentStatuses({
  scheduler: async () => ({ healthy: false, message: 'connection refused' }),
  'etcd-0': async () => ({ healthy: true, message: 'ok' }),
  broken: () => Promise.reject(new Error('no answer')),
})
const page = { resourceVersion: '', resourceVersionMatch: undefined, limit: 0, continue: '' }

it('a read of a component status runs the health check of the component', async () => {
  const { items } = await storage.list(context, { ...page, predicate: { labels: selectEverything(), fields: selectEveryField() } })
  const rows = Array.from(items, (item) => storage.table!.createCells(getPlainObject(item), 0))
  expect(rows).toEqual([
    ['scheduler', 'Unhealthy', 'connection refused', ''],
    ['etcd-0', 'Healthy', 'ok', ''],
    ['broken', 'Unhealthy', '', 'no answer'],
  ])
  const labelled = await storage.list(context, { ...page, predicate: { labels: parseLabelSelector('a=b'), fields: selectEveryField() } })
  expect(Array.from(labelled.items)).toEqual([])
  expect(getPlainObject(await storage.get(context, 'etcd-0', {}))).toMatchObject({ kind: 'ComponentStatus', metadata: { name: 'etcd-0' } })
  await expect(storage.get(context, 'toString', {})).rejects.toMatchObject({ code: 404 })
})
