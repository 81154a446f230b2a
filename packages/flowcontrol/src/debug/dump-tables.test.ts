import { createResourceAction } from '@keelson/apimachinery'
import { createManualClock } from '@keelson/apimachinery/testing'
import { expect, test } from 'vitest'
import { oneSeat } from '../fair-queuing/fair-request.ts'
import type { FairRequest } from '../fair-queuing/fair-request.ts'
import { createFlow, createFlowSchemaCounters } from '../fair-queuing/flow.ts'
import { createQueueSet } from '../fair-queuing/queue-set.ts'
import { dumpTable } from './dump-tables.ts'

const clock = createManualClock(Date.parse('2026-01-02T03:04:05.006Z'))
const user = { name: 'alice', groups: [] }
const attributes = createResourceAction({ verb: 'list', apiGroup: 'apps', apiVersion: 'v1', resource: 'deployments', namespace: 'ns' })
const flow = createFlow(createFlowSchemaCounters('mine'), 'alice')
const queues = createQueueSet({
  name: 'low',
  queuing: { type: 'queue', queues: 1, handSize: 1, queueLengthLimit: 1 },
  seats: 1,
  clock,
})
const exempt = createQueueSet({ name: 'exempt', queuing: { type: 'exempt' }, seats: 0, clock })
const levels = [
  { name: 'low', queues, isQuiescing: true },
  { name: 'exempt', queues: exempt, isQuiescing: false },
]
const [first] = Array.from({ length: 3 }, () => queues.start(flow, oneSeat, { user, attributes })) as FairRequest[]

test('priority levels', () => {
  expect(dumpTable('dump_priority_levels', levels)).toBe(
    [
      'PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests',
      'exempt,            0,            true,   false,       0,               0,                 0,                  0,                0,                0',
      'low,               1,            false,  true,        1,               1,                 1,                  1,                0,                0',
      '',
    ].join('\n'),
  )
})

test('queues', () => {
  expect(dumpTable('dump_queues', levels)).toBe(
    [
      'PriorityLevelName, Index,  PendingRequests, ExecutingRequests, SeatsInUse, NextDispatchR, InitialSeatsSum, MaxSeatsSum, TotalWorkSum',
      'low,               0,      1,               1,                 1,          0.00300000ss,  1,               1,           0.00300000ss',
      '',
    ].join('\n'),
  )
})

test('requests', () => {
  const time = '2026-01-02T03:04:05.006Z'
  expect(
    dumpTable('dump_requests', levels)
      .split('\n')
      .slice(0, 3)
      .map((line) => line.split(/, +/)),
  ).toEqual([
    [
      'PriorityLevelName',
      'FlowSchemaName',
      'QueueIndex',
      'RequestIndexInQueue',
      'FlowDistingsher',
      'ArriveTime',
      'InitialSeats',
      'FinalSeats',
      'AdditionalLatency',
      'StartTime',
    ],
    ['low', 'mine', '0', '0', 'alice', time, '1', '0', '0s', '0001-01-01T00:00:00Z'],
    ['low', 'mine', '0', '-1', 'alice', time, '1', '0', '0s', time],
  ])
  first!.leave()
  const [headers, row] = dumpTable('dump_requests', levels, { includeRequestDetails: true }).split('\n')
  expect(headers!.split(/, +/).slice(10)).toEqual([
    'UserName',
    'Verb',
    'APIPath',
    'Namespace',
    'Name',
    'APIVersion',
    'Resource',
    'SubResource',
  ])
  expect(row!.split(/, +/).slice(10)).toEqual(['alice', 'list', '', 'ns', '', 'apps/v1', 'deployments', ''])
})
