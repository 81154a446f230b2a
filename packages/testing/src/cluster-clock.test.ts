import { afterEach, describe, expect, test, vi } from 'vitest'
import { ClusterClock } from './cluster-clock.ts'
import type { KeelsonCluster } from './cluster.ts'
import { startKeelson } from './start-keelson.ts'

const start = '2031-05-06T07:08:09Z'

describe('a clock', () => {
  afterEach(() => void vi.useRealTimers())

  test('runs due calls in order, each at its own time', async () => {
    const clock = new ClusterClock({ start, frozen: true })
    const calls: string[] = []
    const note = (name: string): void => void calls.push(`${name} ${new Date(clock.now()).toISOString().slice(11, 19)}`)
    clock.after(60_000, () => note('minute'))
    clock.after(1000, () => {
      note('second')
      clock.after(1000, () => note('later'))
    })
    const cancel = clock.after(2000, () => note('cancelled'))
    cancel()
    await clock.advance('30s')
    expect(calls).toEqual(['second 07:08:10', 'later 07:08:11'])
    await clock.advance(30_000)
    expect(calls).toEqual(['second 07:08:10', 'later 07:08:11', 'minute 07:09:09'])
    expect(new Date(clock.now()).toISOString()).toBe('2031-05-06T07:09:09.000Z')
  })

  test('runs periodic work a limited number of times', async () => {
    const clock = new ClusterClock({ frozen: true })
    let runs = 0
    const repeat = (): void => void clock.after(1000, () => (runs++, repeat()))
    repeat()
    await clock.advance('24h')
    expect(runs).toBeGreaterThan(100)
    expect(runs).toBeLessThanOrEqual(501)
  })

  test('passes like the time of the system, and shortens timers when it is advanced', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const clock = new ClusterClock({ start })
    const call = vi.fn()
    clock.after(10_000, call)
    vi.advanceTimersByTime(4000)
    expect(clock.now()).toBe(Date.parse(start) + 4000)
    await clock.advance('4s')
    vi.advanceTimersByTime(1999)
    expect(call).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(call).toHaveBeenCalledOnce()
  })

  test('rejects durations and times that it cannot reach', async () => {
    const clock = new ClusterClock()
    await expect(clock.advance(-1)).rejects.toThrow('a clock only moves forward')
    await expect(clock.advance('soon')).rejects.toThrow('soon')
    expect(() => new ClusterClock({ start: 'never' })).toThrow('clock.start: never is not a time')
  })
})

/** Requests a token for ten minutes. */
async function requestToken(cluster: KeelsonCluster): Promise<string> {
  const response = await cluster.fetch('/api/v1/namespaces/default/serviceaccounts/default/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } }),
  })
  return ((await response.json()) as { status: { token: string } }).status.token
}

async function isValid(cluster: KeelsonCluster, token: string): Promise<boolean> {
  const response = await cluster.fetch('/apis/authentication.k8s.io/v1/tokenreviews', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }),
  })
  return ((await response.json()) as { status: { authenticated?: boolean } }).status.authenticated === true
}

describe('cluster.clock', () => {
  test('moves the expiry of tokens', async () => {
    await using cluster = await startKeelson()
    const token = await requestToken(cluster)
    await cluster.clock.advance('9m')
    expect(await isValid(cluster, token)).toBe(true)
    await cluster.clock.advance('2m')
    expect(await isValid(cluster, token)).toBe(false)
  })

  test('moves the time to live of events', async () => {
    await using cluster = await startKeelson({ controllers: ['none'] })
    const events = cluster.resource('events')
    await events.create({
      metadata: { name: 'e' },
      involvedObject: { namespace: 'default' },
      reportingComponent: '',
      reportingInstance: '',
    })
    await cluster.clock.advance('59m')
    expect((await events.get('e')).metadata.name).toBe('e')
    await cluster.clock.advance('2m')
    await expect(events.get('e')).rejects.toMatchObject({ reason: 'NotFound' })
  })

  test('moves timestamps and grace periods', async () => {
    await using cluster = await startKeelson({ clock: { start, frozen: true } })
    await cluster.clock.advance('1h')
    const pods = cluster.resource('pods')
    const pod = await pods.create({ metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } })
    expect(pod.metadata.creationTimestamp).toBe('2031-05-06T08:08:09Z')
    await pods.delete('p', { gracePeriodSeconds: 30 })
    expect((await pods.get('p')).metadata.deletionTimestamp).toBe('2031-05-06T08:08:39Z')
    expect((await cluster.resource('namespaces').get('default')).metadata.creationTimestamp).toBe(start)
  })

  test('moves bookmarks of watches', async () => {
    await using cluster = await startKeelson({ controllers: ['none'] })
    const maps = cluster.resource('configmaps')
    const { metadata } = await maps.list()
    const from = { resourceVersion: metadata.resourceVersion! }
    const watch = maps.watch({ ...from, allowWatchBookmarks: true })
    const next = watch.next()
    await cluster.resource('secrets').create({ metadata: { name: 's' } })
    await cluster.clock.advance('2m')
    expect((await next).value).toMatchObject({ type: 'BOOKMARK', object: { metadata: { resourceVersion: expect.any(String) } } })
    await watch.return()
  })

  test('belongs to one cluster; a fork starts with the same time', async () => {
    await using cluster = await startKeelson({ controllers: ['none'], clock: { start, frozen: true } })
    await cluster.clock.advance('1h')
    await using fork = await cluster.fork()
    await fork.clock.advance('1h')
    expect([cluster, fork].map(({ clock }) => new Date(clock.now()).toISOString().slice(11, 16))).toEqual(['08:08', '09:08'])
    const { metadata } = await fork.resource('configmaps').create({ metadata: { name: 'm' } })
    expect(metadata.creationTimestamp).toBe('2031-05-06T09:08:09Z')
  })
})
