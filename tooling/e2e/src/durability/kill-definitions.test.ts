import { mkdtemp, rm } from 'node:fs/promises'
import https from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { startKeelsonProcess } from '../keelson-process.ts'
import type { KeelsonProcess } from '../keelson-process.ts'

const scratch = await mkdtemp(path.join(os.tmpdir(), 'keelson-kill-'))
afterAll(() => rm(scratch, { recursive: true, force: true }))

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const name = 'things.kill.example.com'
const things = '/apis/kill.example.com/v1/namespaces/default/things'
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name },
  spec: {
    group: 'kill.example.com',
    names: { plural: 'things', kind: 'Thing' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}
const objects = 20

interface Definition {
  readonly metadata: { readonly uid: string }
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] | null }
}

/** Kills the server when a watch of definitions has received this number of events. */
async function killAtEvent(server: KeelsonProcess, events: number, act: (client: HttpsClient) => Promise<void>): Promise<void> {
  using client = new HttpsClient(server.url, server.token)
  const killed = Promise.withResolvers<void>()
  await new Promise<void>((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.token}` }
    const request = https.get(
      `${server.url}${definitions}?watch=1&resourceVersion=0`,
      { headers, rejectUnauthorized: false },
      (response) => {
        let seen = 0
        response.on('data', (chunk: Buffer) => {
          seen += chunk.toString().split('\n').length - 1
          if (seen >= events) void server.kill().then(killed.resolve)
        })
        response.on('error', () => {})
        resolve()
      },
    )
    request.on('error', reject)
  })
  await act(client).catch(() => {})
  await killed.promise
}

async function waitFor<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const definition = await read()
    if (definition !== undefined) return definition
    if (attempt > 1000) throw new Error('the state was not reached')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

async function isEstablished(client: HttpsClient): Promise<Definition | undefined> {
  const answer = await client.request('GET', `${definitions}/${name}`)
  if (answer.status !== 200) return undefined
  const definition = answer.parseJson<Definition>()
  return definition.status.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ? definition : undefined
}

async function create(client: HttpsClient): Promise<void> {
  await client.request('POST', definitions, { body: definition })
}

async function fill(client: HttpsClient): Promise<void> {
  for (let i = 0; i < objects; i++) {
    const body = { apiVersion: 'kill.example.com/v1', kind: 'Thing', metadata: { name: `t${i}` } }
    expect((await client.request('POST', things, { body })).status).toBe(201)
  }
}

async function count(client: HttpsClient): Promise<number | undefined> {
  const answer = await client.request('GET', things)
  return answer.status === 200 ? answer.parseJson<{ items: unknown[] }>().items.length : undefined
}

// The events are: created, names accepted, established.
test.each([1, 2, 3])('a definition is established after SIGKILL at event %i', async (events) => {
  const dataDir = path.join(scratch, `establish-${events}`)
  await killAtEvent(await startKeelsonProcess({ dataDir }), events, create)
  await using server = await startKeelsonProcess({ dataDir })
  using client = new HttpsClient(server.url, server.token)
  await waitFor(() => isEstablished(client))
  await fill(client)
  expect(await count(client)).toBe(objects)
})

// The first event is the existing definition. The deletion has these events: marked, in progress, deleted.
test.each([2, 3, 4])('a definition is deleted with its objects after SIGKILL at event %i, and can be created again', async (events) => {
  const dataDir = path.join(scratch, `delete-${events}`)
  const first = await startKeelsonProcess({ dataDir })
  using setUp = new HttpsClient(first.url, first.token)
  await create(setUp)
  const before = await waitFor(() => isEstablished(setUp))
  await fill(setUp)
  await killAtEvent(first, events, async (client) => {
    await client.request('DELETE', `${definitions}/${name}`)
  })
  await using server = await startKeelsonProcess({ dataDir })
  using client = new HttpsClient(server.url, server.token)
  await waitFor(async () => ((await client.request('GET', `${definitions}/${name}`)).status === 404 ? true : undefined))
  await waitFor(async () => ((await client.request('GET', things)).status === 404 ? true : undefined))
  await create(client)
  const after = await waitFor(() => isEstablished(client))
  expect(after.metadata.uid).not.toBe(before.metadata.uid)
  expect(await waitFor(() => count(client))).toBe(0)
})

test('a definition and its objects survive SIGKILL', async () => {
  const dataDir = path.join(scratch, 'objects')
  const first = await startKeelsonProcess({ dataDir })
  using setUp = new HttpsClient(first.url, first.token)
  await create(setUp)
  const { metadata } = await waitFor(() => isEstablished(setUp))
  await fill(setUp)
  await first.kill()
  await using server = await startKeelsonProcess({ dataDir })
  using client = new HttpsClient(server.url, server.token)
  // The server is ready only when it serves every definition.
  expect([await count(client), (await isEstablished(client))?.metadata.uid]).toEqual([objects, metadata.uid])
})
