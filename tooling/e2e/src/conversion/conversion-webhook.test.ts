import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { startKeelsonProcess } from '../keelson-process.ts'
import type { KeelsonProcess } from '../keelson-process.ts'
import { openWatch } from '../raw/open-watch.ts'
import { startConversionHook } from './conversion-hook.ts'
import type { ConversionHook, CustomObject, HookBehavior } from './conversion-hook.ts'

let server: KeelsonProcess
let client: HttpsClient
let hook: ConversionHook
/** The objects whose first conversion `flaky` refuses. */
const refusedOnce = new Set<string>()

const copy: HookBehavior = (_review, { converted, respond }) => respond(converted)

const behaviors: Readonly<Record<string, HookBehavior>> = {
  copy,
  hang: () => {},
  reset: (_review, { request }) => void request.socket.destroy(),
  few: (_review, { respond }) => respond([]),
  uid: (_review, { converted, respond }) => respond(converted, { uid: 'other' }),
  large: (_review, { converted, respond }) => respond(converted.map((object) => ({ ...object, spec: { text: 'x'.repeat(8 << 20) } }))),
  endless(_review, { response }) {
    response.writeHead(200, { 'content-type': 'application/json' })
    const sendMore = (): void => {
      while (!response.destroyed && response.write('['.repeat(1 << 16))) continue
      if (!response.destroyed) response.once('drain', sendMore)
    }
    sendMore()
  },
  deep(_review, { converted, respond }) {
    const nested = JSON.parse(`${'['.repeat(9000)}${']'.repeat(9000)}`) as unknown
    respond(converted.map((object) => ({ ...object, spec: { nested } })))
  },
  flaky(review, call) {
    const isRefused = call.converted.map(({ metadata }) => refusedOnce.delete(metadata.name)).includes(true)
    return isRefused ? call.respond([]) : copy(review, call)
  },
  async back(_review, { converted, respond }) {
    const group = converted[0]!.apiVersion.split('/')[0]!
    for (const path of ['/api/v1/namespaces/default', formatObjectsPath(group, 'v2'), `${formatObjectsPath(group, 'v2')}/a`])
      await client.request('GET', path)
    const labels = { hook: String(Date.now()) }
    await client.request('PATCH', '/api/v1/namespaces/default', {
      body: { metadata: { labels } },
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    respond(converted)
  },
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const formatObjectsPath = (group: string, version: string): string => `/apis/${group}/${version}/namespaces/default/things`

beforeAll(async () => {
  server = await startKeelsonProcess({ controllers: 'none' })
  client = new HttpsClient(server.url, server.token, 300)
  hook = await startConversionHook(behaviors)
})

afterAll(async () => {
  client[Symbol.dispose]()
  await hook[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** Creates a definition with the stored version v2 and an object "a". Returns its group. */
async function define(behavior: string): Promise<string> {
  const group = `${behavior}-${Math.random().toString(36).slice(2)}.example.com`
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const clientConfig = { url: `${hook.url}/${behavior}`, caBundle: hook.caBundle }
  const created = await client.request('POST', definitions, {
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${group}` },
      spec: {
        group,
        names: { plural: 'things', kind: 'Thing' },
        scope: 'Namespaced',
        versions: [
          { name: 'v1', served: true, storage: false, schema },
          { name: 'v2', served: true, storage: true, schema },
        ],
        conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } },
      },
    },
  })
  expect(created.status, created.text).toBe(201)
  await expect.poll(async () => (await client.request('GET', formatObjectsPath(group, 'v2'))).status).toBe(200)
  await create(group, 'a')
  return group
}

async function create(group: string, name: string): Promise<void> {
  const body = { apiVersion: `${group}/v2`, kind: 'Thing', metadata: { name }, spec: { text: name } }
  const { status, text } = await client.request('POST', formatObjectsPath(group, 'v2'), { body })
  expect(status, text).toBe(201)
}

const tooLargeAnswer =
  / failed: unexpected error when reading response body\. Please retry\. Original error: the answer is larger than \d+ bytes$/

describe('a conversion webhook', () => {
  it.each([
    ['reset', / failed: Post "https:.*\/reset\?timeout=30s": (EOF|read: connection reset by peer)$/],
    ['few', / returned 0 objects, expected 1$/],
    ['uid', / failed: expected response.uid="[0-9a-f-]{36}", got "other"$/],
    ['large', tooLargeAnswer],
    ['endless', tooLargeAnswer],
  ])('that misbehaves (%s) causes an error for its version only', async (behavior, message) => {
    const group = await define(behavior)
    for (const path of [`${formatObjectsPath(group, 'v1')}/a`, formatObjectsPath(group, 'v1')]) {
      const answer = await client.request('GET', path)
      expect(answer.status).toBe(500)
      const status = answer.parseJson<{ message: string }>()
      expect(status.message).toMatch(message)
      expect(status.message).toContain(`conversion webhook for ${group}/v2, Kind=Thing`)
    }
    expect((await client.request('GET', `${formatObjectsPath(group, 'v2')}/a`)).status).toBe(200)
    await client.request('DELETE', `${definitions}/things.${group}`)
  })

  it('that returns deeply nested objects does not harm the server', async () => {
    const group = await define('deep')
    expect([200, 500]).toContain((await client.request('GET', `${formatObjectsPath(group, 'v1')}/a`)).status)
    expect((await client.request('GET', '/api/v1/namespaces/default')).status).toBe(200)
    await client.request('DELETE', `${definitions}/things.${group}`)
  })

  it('that calls the server gets responses', async () => {
    const group = await define('back')
    const reads = await Promise.all(Array.from({ length: 20 }, () => client.request('GET', `${formatObjectsPath(group, 'v1')}/a`)))
    expect(reads.map(({ status }) => status)).toEqual(reads.map(() => 200))
    const body = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'b' }, spec: {} }
    expect((await client.request('POST', formatObjectsPath(group, 'v1'), { body })).status).toBe(201)
    expect((await client.request('GET', formatObjectsPath(group, 'v1'))).parseJson<{ items: unknown[] }>().items).toHaveLength(2)
    await client.request('DELETE', `${definitions}/things.${group}`)
  })

  it('that hangs delays no other requests, and its calls end when their clients leave', async () => {
    const group = await define('hang')
    const leave = new AbortController()
    const hanging = Array.from({ length: 100 }, () =>
      client.request('GET', `${formatObjectsPath(group, 'v1')}/a`, { signal: leave.signal }).catch(() => undefined),
    )
    await expect.poll(() => hook.waiting()).toBeGreaterThanOrEqual(100)
    const times: number[] = []
    for (let i = 0; i < 200; i++) {
      const start = performance.now()
      const path = i % 2 === 0 ? '/api/v1/namespaces/default' : `${formatObjectsPath(group, 'v2')}/a`
      expect((await client.request('GET', path)).status).toBe(200)
      times.push(performance.now() - start)
    }
    times.sort((a, b) => a - b)
    // Without other load it is about a millisecond.
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(250)
    leave.abort()
    await Promise.all(hanging)
    // The watch cache of v1 still waits for the conversion of the object.
    await expect.poll(() => hook.waiting()).toBeLessThanOrEqual(1)
    await client.request('DELETE', `${definitions}/things.${group}`)
  })

  it('that sometimes fails loses no event of a watch', async () => {
    const group = await define('flaky')
    // Starts with the present state. The watch cache of v1 has no events of revisions before its own start.
    const watch = await openWatch('HTTP/1.1', server, `${formatObjectsPath(group, 'v1')}?watch=1`)
    const listSeenNames = (): unknown[] =>
      watch.listEvents().map((event) => (event as unknown as { object: CustomObject }).object.metadata.name)
    await expect.poll(listSeenNames).toEqual(['a'])
    const names = Array.from({ length: 20 }, (_, i) => `n${String(i).padStart(2, '0')}`)
    for (const [i, name] of names.entries()) {
      if (i % 7 === 3) refusedOnce.add(name)
      await create(group, name)
      await wait(5)
    }
    await expect.poll(() => listSeenNames().length).toBe(names.length + 1)
    expect(listSeenNames()).toEqual(['a', ...names])
    expect(refusedOnce.size).toBe(0)
    watch.drop()
    await client.request('DELETE', `${definitions}/things.${group}`)
  })
})
