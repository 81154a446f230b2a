import { createManualClock } from '@keelson/apimachinery/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'

const user = { name: 'alice', groups: ['system:masters'] }
// Starts years after the current system time, so that timestamps from the system clock are noticed.
const clock = createManualClock(Date.UTC(2031, 4, 6, 7, 8, 9))
const now = '2031-05-06T07:08:09Z'

interface Body {
  readonly metadata: {
    readonly name: string
    readonly creationTimestamp?: string
    readonly deletionTimestamp?: string
    readonly managedFields?: readonly { readonly time: string }[]
  }
  readonly items?: readonly Body[]
  readonly status?: Readonly<Record<string, unknown>>
}

let chain: ServerChain
beforeAll(async () => {
  chain = await createServerChain({
    clock,
    storage: { eventTtlSeconds: 60 },
    controllers: ['none'],
    admission: { disable: ['ServiceAccount'] },
  })
  await chain.start()
})
afterAll(() => chain.close())

async function callServer(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Body> {
  const answer = await chain.fetch(path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
    ...(headers['authorization'] === undefined && { user }),
  })
  const result = (await answer.json()) as Body
  expect(answer.status, JSON.stringify(result)).toBeLessThan(300)
  return result
}

const core = '/api/v1/namespaces/default'

test('the clock sets the creation timestamps of all objects', async () => {
  const { metadata } = await callServer('POST', `${core}/configmaps`, { metadata: { name: 'a', finalizers: ['example.com/held'] } })
  expect(metadata).toMatchObject({ creationTimestamp: now, managedFields: [{ time: now }] })
  const deleted = await callServer('DELETE', `${core}/configmaps/a`)
  expect(deleted.metadata.deletionTimestamp).toBe(now)
  // The server itself creates this namespace.
  const namespace = await callServer('GET', '/api/v1/namespaces/kube-system')
  expect(namespace.metadata).toMatchObject({ creationTimestamp: now })
  const schemas = await callServer('GET', '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/probes')
  expect(schemas.metadata.managedFields?.map(({ time }) => time)).toEqual([now, now])
  expect(schemas.status).toMatchObject({ conditions: [{ lastTransitionTime: now }] })
})

test('the clock controls graceful deletion', async () => {
  const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } }
  await callServer('POST', `${core}/pods`, pod)
  const deleted = await callServer('DELETE', `${core}/pods/p?gracePeriodSeconds=30`)
  expect(deleted.metadata.deletionTimestamp).toBe('2031-05-06T07:08:39Z')
})

test('the clock sets times in conditions and reviews', async () => {
  const gated = { metadata: { name: 'g' }, spec: { schedulingGates: [{ name: 'wait' }], containers: [{ name: 'c', image: 'i' }] } }
  expect((await callServer('POST', `${core}/pods`, gated)).status).toMatchObject({ conditions: [{ lastTransitionTime: now }] })
  const volume = {
    metadata: { name: 'v' },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } },
  }
  expect((await callServer('POST', '/api/v1/persistentvolumes', volume)).status).toMatchObject({ lastPhaseTransitionTime: now })
  const review = await callServer('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
  expect(review.metadata.creationTimestamp).toBe(now)
})

test('the clock controls the expiration of tokens and events', async () => {
  await callServer('POST', `${core}/serviceaccounts`, { metadata: { name: 's' } })
  const request = { spec: { expirationSeconds: 600 } }
  const { status } = await callServer('POST', `${core}/serviceaccounts/s/token`, request)
  expect(status).toMatchObject({ expirationTimestamp: '2031-05-06T07:18:09Z' })
  const authorization = `Bearer ${String(status!['token'])}`
  const requestWhoAmI = (): Promise<Response> =>
    chain.fetch('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: '{}',
    })
  const event = { metadata: { name: 'e' }, involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' } }
  await callServer('POST', `${core}/events`, event)
  expect((await requestWhoAmI()).status).not.toBe(401)
  expect((await callServer('GET', `${core}/events`)).items).toHaveLength(1)
  await clock.pass(700_000)
  expect((await requestWhoAmI()).status).toBe(401)
  expect((await callServer('GET', `${core}/events`)).items).toHaveLength(0)
})
