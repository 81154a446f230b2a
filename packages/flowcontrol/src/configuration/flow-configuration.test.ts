import type { FlowSchema, PriorityLevelConfiguration } from '@keelson/api/flowcontrol/v1'
import { createPathAction, createResourceAction } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import { bootstrapFlowSchemas, bootstrapPriorityLevels } from '@keelson/resources'
import { describe, expect, test } from 'vitest'
import { oneSeat } from '../fair-queuing/fair-request.ts'
import type { FairRequest } from '../fair-queuing/fair-request.ts'
import { createFlowControlMetrics } from '../metrics/flow-control-metrics.ts'
import { FlowConfiguration } from './flow-configuration.ts'

const listPods = createResourceAction({ verb: 'list', resource: 'pods', namespace: 'ns' })
const getLease = createResourceAction({ verb: 'get', apiGroup: 'coordination.k8s.io', resource: 'leases', namespace: 'ns', name: 'a' })

interface Opened {
  readonly configuration: FlowConfiguration
  readonly clock: ManualClock
  readonly problems: string[]
  readonly countUnused: () => number
  readonly readMetrics: () => string
}

function open(serverSeats = 600): Opened {
  const clock = createManualClock()
  const registry = createMetricsRegistry()
  const problems: string[] = []
  let unused = 0
  const configuration = new FlowConfiguration({
    serverSeats,
    clock,
    metrics: createFlowControlMetrics(registry, clock.now),
    onUnused: () => unused++,
    onProblem: (problem) => problems.push(problem),
  })
  return { configuration, clock, problems, countUnused: () => unused, readMetrics: () => registry.text() }
}

function openBuiltIn(): Opened {
  const opened = open()
  opened.configuration.digest(bootstrapPriorityLevels, bootstrapFlowSchemas)
  return opened
}

const describeSeats = ({ configuration }: Opened): Record<string, number> =>
  Object.fromEntries(Array.from(configuration.levels.values(), ({ name, currentSeats }) => [name, currentSeats]))

/** Starts requests of one seat at a level. */
function startRequests({ configuration }: Opened, level: string, count: number): FairRequest[] {
  const { queues } = configuration.levels.get(level)!
  const user = { name: 'u', groups: ['system:authenticated'] }
  const flow = configuration.classify(listPods, user).identifyFlow(listPods, user)
  return Array.from({ length: count }, () => queues.start(flow, oneSeat, { user, attributes: listPods }) as FairRequest)
}

describe('classification', () => {
  test.each([
    ['a member of system:masters', 'root', ['system:masters', 'system:authenticated'], listPods, 'exempt/exempt'],
    ['a node', 'system:node:n', ['system:nodes', 'system:authenticated'], listPods, 'system-nodes/system'],
    ['the lease of a node', 'system:node:n', ['system:nodes', 'system:authenticated'], getLease, 'system-node-high/node-high'],
    ['leader election', 'system:kube-scheduler', ['system:authenticated'], getLease, 'system-leader-election/leader-election'],
    ['the scheduler', 'system:kube-scheduler', ['system:authenticated'], listPods, 'kube-scheduler/workload-high'],
    [
      'a service account of kube-system',
      'system:serviceaccount:kube-system:a',
      ['system:serviceaccounts', 'system:authenticated'],
      listPods,
      'kube-system-service-accounts/workload-high',
    ],
    [
      'a service account',
      'system:serviceaccount:a:a',
      ['system:serviceaccounts', 'system:authenticated'],
      listPods,
      'service-accounts/workload-low',
    ],
    ['a user', 'alice', ['system:authenticated'], listPods, 'global-default/global-default'],
    ['a health check', 'system:anonymous', ['system:unauthenticated'], createPathAction('get', '/livez/ping'), 'probes/exempt'],
    ['a user without groups', 'nobody', [], listPods, 'catch-all/catch-all'],
  ])('%s', (_title, name, groups, action, expected) => {
    const { schemaName, level } = openBuiltIn().configuration.classify(action, { name, groups })
    expect(`${schemaName}/${level.name}`).toBe(expected)
  })

  test('without objects, the mandatory schemas and levels are used', () => {
    const { configuration } = open()
    const { schemaName, level, headers } = configuration.classify(listPods, { name: 'a', groups: ['system:authenticated'] })
    expect([schemaName, level.name, level.currentSeats]).toEqual(['catch-all', 'catch-all', 600])
    expect(headers).toEqual(['X-Kubernetes-Pf-Flowschema-Uid', '', 'X-Kubernetes-Pf-Prioritylevel-Uid', ''])
    expect(configuration.classify(listPods, { name: 'a', groups: ['system:masters'] }).level.name).toBe('exempt')
  })

  test('a schema without its level is ignored, and a broken level too', () => {
    const opened = open()
    const schema = createSchema('mine', 'mine', { precedence: 10 })
    const user = { name: 'a', groups: ['dev', 'system:authenticated'] }
    expect(opened.configuration.digest([], [schema])).toEqual(new Set())
    expect(opened.configuration.classify(listPods, user).schemaName).toBe('catch-all')
    const broken: PriorityLevelConfiguration = { metadata: { name: 'mine' }, spec: { type: 'Exempt', exempt: {} } }
    opened.configuration.digest([broken], [schema])
    expect(opened.problems).toEqual(['PriorityLevelConfiguration mine is ignored: non-alignment between name and type'])
    expect(opened.configuration.digest([createLevel('mine', 10)], [schema])).toEqual(new Set(['mine']))
    expect(opened.configuration.classify(listPods, user).schemaName).toBe('mine')
  })
})

describe('seats', () => {
  test('are divided by shares, and levels lend what they may', () => {
    const opened = openBuiltIn()
    const limits = Array.from(opened.configuration.levels.values(), ({ name, limits: { nominal, minimum, maximum } }) => [
      name,
      nominal,
      minimum,
      maximum,
    ])
    expect(Object.fromEntries(limits.map(([name, ...values]) => [name, values]))).toEqual({
      exempt: [0, 0, 600],
      'catch-all': [13, 13, 613],
      system: [74, 50, 674],
      'node-high': [98, 73, 698],
      'leader-election': [25, 25, 625],
      'workload-high': [98, 49, 698],
      'workload-low': [245, 24, 845],
      'global-default': [49, 24, 649],
    })
    const total = Object.values(describeSeats(opened)).reduce((sum, seats) => sum + seats, 0)
    expect(Math.abs(total - 602)).toBeLessThanOrEqual(4)
  })

  test('go to levels with demand, and return to their owners within one period', () => {
    const opened = openBuiltIn()
    const before = describeSeats(opened)
    const requests = startRequests(opened, 'global-default', 200)
    opened.clock.advance(10_000)
    opened.configuration.adjust()
    const lent = describeSeats(opened)
    expect(lent['global-default']!).toBeGreaterThan(150)
    expect(lent['leader-election']).toBeGreaterThanOrEqual(25)
    expect(opened.readMetrics()).toContain('apiserver_flowcontrol_demand_seats_high_watermark{priority_level="global-default"} 200\n')

    // 98 seats are the nominal ones of workload-high. It gets them in the first period in which it needs them.
    startRequests(opened, 'workload-high', 300)
    opened.clock.advance(10_000)
    opened.configuration.adjust()
    expect(describeSeats(opened)['workload-high']!).toBeGreaterThanOrEqual(98)
    for (const request of requests) request.leave()
    expect(before['global-default']!).toBeGreaterThan(0)
  })

  test('a level that may not borrow keeps its nominal seats', () => {
    const opened = open(100)
    opened.configuration.digest([createLevel('a', 95, { borrowingLimitPercent: 0 })], [createSchema('a', 'a', { precedence: 1 })])
    const { limits } = opened.configuration.levels.get('a')!
    expect(limits).toEqual({ nominal: 95, minimum: 95, maximum: 95 })
    expect(opened.configuration.levels.get('a')!.mostSeats).toBe(15)
  })
})

test('a deleted level serves its requests to the end, and then goes', () => {
  const opened = open(10)
  const level = createLevel('a', 1)
  const schema = createSchema('a', 'a', { precedence: 1 })
  opened.configuration.digest([level], [schema])
  const user = { name: 'u', groups: ['dev'] }
  const target = opened.configuration.classify(listPods, user)
  const request = target.level.queues.start(target.identifyFlow(listPods, user), oneSeat, { user, attributes: listPods }) as FairRequest
  expect(opened.readMetrics()).toContain('current_executing_requests{flow_schema="a",priority_level="a"} 1\n')
  opened.configuration.digest([], [])
  expect(opened.configuration.levels.get('a')).toMatchObject({ isQuiescing: true })
  expect(opened.configuration.classify(listPods, user).level.name).toBe('catch-all')
  expect(opened.countUnused()).toBe(0)
  request.leave()
  expect(opened.countUnused()).toBe(1)
  opened.configuration.digest([], [])
  expect([...opened.configuration.levels.keys()].toSorted()).toEqual(['catch-all', 'exempt'])
  expect(opened.readMetrics()).not.toContain('priority_level="a"')
})

test('a level keeps its requests when its object changes', () => {
  const opened = open(10)
  const schema = createSchema('a', 'a', { precedence: 1 })
  opened.configuration.digest([createLevel('a', 1)], [schema])
  const [request] = startRequests(opened, 'a', 1)
  opened.configuration.digest([createLevel('a', 100)], [schema])
  expect(opened.configuration.levels.get('a')!.queues.counts.executingRequests).toBe(1)
  expect(opened.configuration.levels.get('a')!.limits.nominal).toBe(10)
  request!.leave()
  expect(opened.configuration.levels.get('a')!.queues.isIdle).toBe(true)
})

function createLevel(
  name: string,
  nominalConcurrencyShares: number,
  overrides: { readonly borrowingLimitPercent?: number } = {},
): DeepReadonly<PriorityLevelConfiguration> {
  const limitResponse = { type: 'Queue', queuing: { queues: 4, handSize: 2, queueLengthLimit: 50 } }
  return {
    metadata: { name, uid: `uid-${name}` },
    spec: { type: 'Limited', limited: { nominalConcurrencyShares, limitResponse, ...overrides } },
  }
}

function createSchema(name: string, level: string, { precedence }: { readonly precedence: number }): DeepReadonly<FlowSchema> {
  const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }
  const rules = [{ subjects: [{ kind: 'Group', group: { name: 'dev' } }], resourceRules: [rule] }]
  return { metadata: { name }, spec: { priorityLevelConfiguration: { name: level }, matchingPrecedence: precedence, rules } }
}
