import type { FlowSchema, PriorityLevelConfiguration } from '@keelson/api/flowcontrol/v1'
import { createManualClock } from '@keelson/apimachinery/testing'
import { keepBuiltInObjects } from '@keelson/flowcontrol'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const group = 'flowcontrol.apiserver.k8s.io'
const admin = { name: 'admin', groups: ['system:masters'] }
const alice = { name: 'alice', groups: ['dev'] }

let chain: ServerChain
beforeAll(async () => void (chain = await startChain()))
afterAll(() => chain.close())

const findSchemas = () => chain.client.resource<FlowSchema>({ group, resource: 'flowschemas' })!
const findLevels = () => chain.client.resource<PriorityLevelConfiguration>({ group, resource: 'prioritylevelconfigurations' })!
const readSchema = async (name: string) => (await findSchemas().get('', name, { resourceVersion: '' }))!
const readLevel = async (name: string) => (await findLevels().get('', name, { resourceVersion: '' }))!

describe('the built-in objects', () => {
  test('every schema refers to an existing level and has a condition for it', async () => {
    const present = new Set((await findLevels().list({ resourceVersion: '' })).items.map(({ metadata }) => metadata.name))
    const { items } = await findSchemas().list({ resourceVersion: '' })
    expect([items.length, present.size]).toEqual([11, 8])
    for (const { metadata, spec, status } of items) {
      expect(present).toContain(spec?.priorityLevelConfiguration.name)
      expect(status?.conditions).toMatchObject([{ type: 'Dangling', status: 'False', reason: 'Found' }])
      expect(metadata.managedFields?.map(({ manager, subresource = '' }) => manager + subresource)).toEqual([
        'api-priority-and-fairness-config-consumer-v1status',
        'api-priority-and-fairness-config-producer-v1',
      ])
    }
  })

  test('are restored, except suggested ones that an administrator has changed', async () => {
    const changeShares = (name: string, annotation?: string) =>
      findLevels().update('', name, (level) => {
        level.spec!.limited!.nominalConcurrencyShares = 7
        const { [autoUpdate]: _, ...annotations } = level.metadata.annotations!
        level.metadata.annotations = { ...annotations, ...(annotation && { [autoUpdate]: annotation }) }
        return level
      })
    const autoUpdate = 'apf.kubernetes.io/autoupdate-spec'
    await changeShares('workload-low', 'true')
    await changeShares('workload-high', 'false')
    await changeShares('system')
    await findLevels().update('', 'exempt', (level) => {
      level.spec!.exempt!.nominalConcurrencyShares = 3
      level.metadata.annotations = { [autoUpdate]: 'false' }
      return level
    })
    await findSchemas().delete('', 'probes')
    await findSchemas().create('', { metadata: { name: 'old', annotations: { [autoUpdate]: 'true' } }, spec: createSpec('system') })
    await findSchemas().create('', { metadata: { name: 'kept', annotations: { [autoUpdate]: 'false' } }, spec: createSpec('system') })
    await keepBuiltInObjects(chain.client)
    const shares = await Promise.all(
      ['workload-low', 'workload-high', 'system'].map(async (name) => (await readLevel(name)).spec?.limited?.nominalConcurrencyShares),
    )
    expect(shares).toEqual([100, 7, 7])
    expect((await readLevel('system')).metadata.annotations?.[autoUpdate]).toBe('false')
    const exempt = await readLevel('exempt')
    expect([exempt.spec?.exempt?.nominalConcurrencyShares, exempt.metadata.annotations?.[autoUpdate]]).toEqual([3, 'true'])
    expect((await readSchema('probes')).spec?.matchingPrecedence).toBe(2)
    expect(await findSchemas().get('', 'old', { resourceVersion: '' })).toBeUndefined()
    expect((await readSchema('kept')).metadata.name).toBe('kept')
    await findSchemas().delete('', 'kept')
  })

  test('are listed once, and an object that changes during the check is not removed', async () => {
    const annotate = (value: string) => ({ 'apf.kubernetes.io/autoupdate-spec': value })
    await findSchemas().create('', { metadata: { name: 'taken-over', annotations: annotate('true') }, spec: createSpec('system') })
    const [schemas, levels] = [findSchemas(), findLevels()]
    const list = schemas.list.bind(schemas)
    const listedLevels = vi.spyOn(levels, 'list')
    const listedSchemas = vi.spyOn(schemas, 'list').mockImplementation(async (options) => {
      const result = await list(options)
      await schemas.update('', 'taken-over', (schema) => {
        schema.metadata.annotations = annotate('false')
        return schema
      })
      return result
    })
    await keepBuiltInObjects(chain.client)
    for (const listed of [listedLevels, listedSchemas]) {
      expect(listed).toHaveBeenCalledTimes(1)
      listed.mockRestore()
    }
    expect((await readSchema('taken-over')).metadata.annotations).toEqual(annotate('false'))
    await findSchemas().delete('', 'taken-over')
  })
})

describe('requests', () => {
  const askAs = (user: typeof alice, path = '/api/v1/namespaces/default/configmaps') => chain.fetch(path, { user })
  const readUids = ({ headers }: Response) => [
    headers.get('x-kubernetes-pf-flowschema-uid'),
    headers.get('x-kubernetes-pf-prioritylevel-uid'),
  ]
  const findUids = async (schema: string, level: string) => [(await readSchema(schema)).metadata.uid, (await readLevel(level)).metadata.uid]

  test('have the uids of their flow schema and priority level in the response', async () => {
    expect(readUids(await askAs(admin))).toEqual(await findUids('exempt', 'exempt'))
    await vi.waitFor(async () => expect(readUids(await askAs(alice))).toEqual(await findUids('global-default', 'global-default')))
    const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] }
    expect(readUids(await askAs(anonymous, '/readyz'))).toEqual(await findUids('probes', 'exempt'))
  })

  test('follow a new schema when its level exists, and the status of the schema says whether it does', async () => {
    const readDangling = async () =>
      (await readSchema('mine')).status?.conditions?.map(({ status, reason, message }) => [status, reason, message])
    const reference = 'This FlowSchema references the PriorityLevelConfiguration object named "mine"'
    await findSchemas().create('', { metadata: { name: 'mine' }, spec: createSpec('mine') })
    await vi.waitFor(async () => expect(await readDangling()).toEqual([['True', 'NotFound', `${reference} but there is no such object`]]))
    expect(readUids(await askAs(alice))).toEqual(await findUids('global-default', 'global-default'))
    await findLevels().create('', {
      metadata: { name: 'mine' },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
    })
    await vi.waitFor(async () => expect(await readDangling()).toEqual([['False', 'Found', `${reference} and it exists`]]))
    expect(readUids(await askAs(alice))).toEqual(await findUids('mine', 'mine'))
    await findLevels().delete('', 'mine')
    await vi.waitFor(async () => expect((await readDangling())?.[0]?.[0]).toBe('True'))
    expect(readUids(await askAs(alice))).toEqual(await findUids('global-default', 'global-default'))
    await findSchemas().delete('', 'mine')
  })

  test('are shown at the debug endpoints and in the metrics', async () => {
    const dumped = await (await askAs(admin, '/debug/api_priority_and_fairness/dump_priority_levels')).text()
    expect(dumped).toMatch(/^PriorityLevelName, +ActiveQueues, +IsIdle, .*\ncatch-all, +0, +true, +false, +0, +0, /)
    const requests = await (await askAs(admin, '/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1')).text()
    expect(requests).toMatch(/\nexempt, +exempt, +-1, +-1, .* admin, +get, +\/debug\/api_priority_and_fairness\/dump_requests, /)
    const metrics = await (await askAs(admin, '/metrics')).text()
    expect(metrics).toMatch(
      /\napiserver_flowcontrol_dispatched_requests_total\{flow_schema="global-default",priority_level="global-default"\} [1-9]/,
    )
    expect(metrics).toContain('\napiserver_flowcontrol_nominal_limit_seats{priority_level="leader-election"} ')
  })
})

test('without priority and fairness, responses have no such headers, and schemas no status', async () => {
  await using plain = await startChain({ requests: { priorityAndFairness: false } })
  const answer = await plain.fetch('/api/v1/namespaces', { user: admin })
  expect([answer.status, answer.headers.get('x-kubernetes-pf-flowschema-uid')]).toEqual([200, null])
  const schema = await plain.client.resource<FlowSchema>({ group, resource: 'flowschemas' })!.get('', 'probes', { resourceVersion: '' })
  expect(schema?.status).toEqual({})
  expect((await plain.fetch('/debug/api_priority_and_fairness/dump_queues', { user: admin })).status).toBe(404)
})

test('a server needs seats', async () => {
  const requests = { maxReadOnlyInFlight: 0, maxMutatingInFlight: 0 }
  await expect(createServerChain({ requests })).rejects.toThrow('must add up to more than 0 with priority and fairness')
  await using unlimited = await startChain({ requests: { ...requests, priorityAndFairness: false } })
  expect((await unlimited.fetch('/version', { user: admin })).status).toBe(200)
})

test('missing objects are created again within a minute', async () => {
  const clock = createManualClock(Date.now())
  await using server = await startChain({ clock, log: () => {} })
  const levels = server.client.resource<PriorityLevelConfiguration>({ group, resource: 'prioritylevelconfigurations' })!
  await levels.delete('', 'workload-low')
  clock.advance(60_000)
  await vi.waitFor(async () => expect(await levels.get('', 'workload-low', { resourceVersion: '' })).toBeDefined())
})

function createSpec(level: string): NonNullable<FlowSchema['spec']> {
  const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: 700,
    rules: [{ subjects: [{ kind: 'Group', group: { name: 'dev' } }], resourceRules: [rule] }],
  }
}
