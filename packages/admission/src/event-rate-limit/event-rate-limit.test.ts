import type { Event } from '@keelson/api/core/v1'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import { openTestCluster, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createEventRateLimitPlugin } from './index.ts'

let cluster: TestCluster
let clock: ManualClock
beforeEach(() => {
  cluster = openTestCluster([])
  clock = createManualClock()
})
afterEach(() => cluster[Symbol.asyncDispose]())

const head = { kind: 'Configuration', apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1' }
const createLimitedPlugin = (...limits: object[]): AdmissionPlugin => createEventRateLimitPlugin({ ...cluster, clock }, { ...head, limits })
const reporter = { reportingComponent: '', reportingInstance: '' }
const createEvent = (name: string): Event => ({ metadata: { name: 'e' }, involvedObject: { name }, ...reporter })
/** Returns the reason for which an event is rejected, or "" if it is admitted. */
function ask(plugin: AdmissionPlugin, overrides: Partial<AdmissionAttributes> = {}, object = createEvent('a')): string {
  try {
    void plugin.validate!(write('events', object, overrides))
    return ''
  } catch (error) {
    expect(error).toMatchObject({ code: 429, reason: 'TooManyRequests', details: undefined })
    return (error as Error).message
  }
}
const repeat = (count: number, step: () => string): string[] => Array.from({ length: count }, step)

it('admits a burst, and then as many events per second as configured', () => {
  const plugin = createLimitedPlugin({ type: 'Server', qps: 2, burst: 3 })
  const refusal = 'Too many requests: limit reached on type Server for key '
  expect(repeat(4, () => ask(plugin))).toEqual(['', '', '', refusal])
  clock.advance(499)
  expect(ask(plugin)).toBe(refusal)
  clock.advance(1)
  expect(repeat(2, () => ask(plugin))).toEqual(['', refusal])
  clock.advance(60_000)
  expect(repeat(4, () => ask(plugin))).toEqual(['', '', '', refusal])
})

it.each([
  ['Namespace', { namespace: 'b' }, createEvent('a'), 'ns'],
  ['User', {}, createEvent('a'), 'tester'],
  ['SourceAndObject', {}, createEvent('b'), 'a'],
])('counts separately by %s', (type, rest, object, key) => {
  const plugin = createLimitedPlugin({ type, qps: 1, burst: 1 })
  const { context } = write('events', createEvent('a'))
  const user = { context: { ...context, user: { name: 'tester', groups: [] } } }
  const other = type === 'User' ? { context: { ...context, user: { name: 'other', groups: [] } } } : { ...user, ...rest }
  expect(repeat(2, () => ask(plugin, user))).toEqual(['', `Too many requests: limit reached on type ${type} for key ${key}`])
  expect(ask(plugin, other, object)).toBe('')
})

it('joins all parts of the source and the object', () => {
  const plugin = createLimitedPlugin({ type: 'SourceAndObject', qps: 1, burst: 1 })
  const involvedObject = { kind: 'Pod', namespace: 'n', name: 'p', uid: 'u', apiVersion: 'v1', fieldPath: 'x' }
  const object = { metadata: { name: 'e' }, source: { component: 'c', host: 'h' }, involvedObject, ...reporter }
  expect(repeat(2, () => ask(plugin, {}, object))[1]).toBe('Too many requests: limit reached on type SourceAndObject for key chPodnpuv1')
})

it('lists all exceeded limits, and counts a rejected event in each of them', () => {
  const plugin = createLimitedPlugin({ type: 'Server', qps: 1, burst: 1 }, { type: 'Namespace', qps: 1, burst: 2 })
  expect(repeat(3, () => ask(plugin))).toEqual([
    '',
    'Too many requests: limit reached on type Server for key ',
    'Too many requests: [limit reached on type Server for key , limit reached on type Namespace for key ns]',
  ])
})

it('forgets the least recently used keys', () => {
  const plugin = createLimitedPlugin({ type: 'Namespace', qps: 1, burst: 1, cacheSize: 2 })
  const from = (namespace: string): boolean => ask(plugin, { namespace }) === ''
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(from)).toEqual([true, true, false, true, false, true])
})

it('does not count dry runs', () => {
  const plugin = createLimitedPlugin({ type: 'Server', qps: 1, burst: 1 })
  expect(repeat(3, () => ask(plugin, { dryRun: true }))).toEqual(['', '', ''])
  expect(ask(plugin)).toBe('')
})

describe('the configuration', () => {
  it.each([
    [undefined, 'limits: Invalid value: null: must not be empty'],
    [{}, "Object 'Kind' is missing in '{}'"],
    [
      { limits: [{ type: 'Server', qps: 1 }], kind: 'Configuration' },
      `Object 'apiVersion' is missing in '{"kind":"Configuration","limits":[{"qps":1,"type":"Server"}]}'`,
    ],
    [{ ...head, kind: 'Conf' }, 'no kind "Conf" is registered for version "eventratelimit.admission.k8s.io/v1alpha1"'],
    [{ ...head, limits: [] }, 'limits: Invalid value: []: must not be empty'],
    [{ ...head, limits: {} }, 'limits must be a list'],
    [{ ...head, limits: [1] }, 'limits[0] must be an object'],
    [{ ...head, limits: [{ type: 'Server', qps: '1' }] }, 'limits[0].qps must be an integer of 32 bits'],
    [{ ...head, limits: [{ type: 'Server', burst: 2 ** 31 }] }, 'limits[0].burst must be an integer of 32 bits'],
    [
      {
        ...head,
        limits: [
          { type: 'Foo', qps: 0, burst: -1, cacheSize: -1 },
          { type: 'Server', qps: 1, burst: 1, cacheSize: -1 },
        ],
      },
      '[limits[0].type: Unsupported value: "Foo": supported values: "Server", "Namespace", "User", "SourceAndObject", ' +
        'limits[0].burst: Invalid value: -1: must be positive, limits[0].qps: Invalid value: 0: must be positive, ' +
        'limits[0].cacheSize: Invalid value: -1: must not be negative]',
    ],
  ])('%j is refused', (configuration, message) => {
    expect(() => createEventRateLimitPlugin(cluster, configuration)).toThrow(new Error(message))
  })

  it('may have unknown members', () => {
    expect(createEventRateLimitPlugin(cluster, { ...head, limits: [{ type: 'Server', qps: 1, burst: 1, more: 1 }], more: 1 }).name).toBe(
      'EventRateLimit',
    )
  })
})
