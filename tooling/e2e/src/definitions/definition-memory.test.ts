import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { queryObjects } from 'node:v8'
import { systemClock } from '@keelson/apimachinery'
import { createServerChain } from '@keelson/control-plane'
import type { ServerChain } from '@keelson/control-plane'
import { afterAll, beforeAll, expect, test } from 'vitest'

const warmUp = 10
const rounds = 50

const user = { name: 'admin', groups: ['system:masters'] }
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const things = '/apis/memory.example.com/v1/namespaces/default/things'
const spec = {
  type: 'object',
  properties: { name: { type: 'string', pattern: '^a+$' }, size: { type: 'integer', default: 3 } },
  'x-kubernetes-validations': [{ rule: 'self.size > 0' }],
}
const definition = {
  metadata: { name: 'things.memory.example.com' },
  spec: {
    group: 'memory.example.com',
    names: { plural: 'things', kind: 'Thing' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
  },
}
const thing = { apiVersion: 'memory.example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { name: 'aa' } }

let chain: ServerChain
let dataDir: string
let skipped = 0
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'keelson-memory-'))
  // The clock jumps, so that watch caches and the store forget events, which they otherwise keep for minutes.
  const clock = { now: () => systemClock.now() + skipped, after: systemClock.after }
  const storage = { type: 'embedded', dataDir, durability: 'memory' } as const
  chain = await createServerChain({ storage, clock, log: () => {} })
  await chain.start()
})
afterAll(async () => {
  await chain.close()
  await rm(dataDir, { recursive: true, force: true })
})

async function request(method: string, target: string, body?: object): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const answer = await chain.fetch(target, { method, user, headers, ...(body && { body: JSON.stringify(body) }) })
  await answer.text()
  return answer.status
}

async function waitFor(target: string, status: number): Promise<void> {
  while ((await request('GET', target)) !== status) await new Promise((resolve) => setTimeout(resolve, 1))
}

async function createAndDelete(count: number): Promise<void> {
  for (let i = 1; i <= count; i++) {
    if (i % 10 === 0) skipped += 80_000
    expect(await request('POST', definitions, definition)).toBe(201)
    await waitFor(things, 200)
    expect(await request('POST', things, thing)).toBe(201)
    expect(await request('DELETE', `${definitions}/${definition.metadata.name}`)).toBe(200)
    await waitFor(`${definitions}/${definition.metadata.name}`, 404)
    await waitFor(things, 404)
  }
}

/**
 * Counts objects of types that a served definition has many of: routes, schemas and stores contain maps, watches contain signals. The size of
 * the heap would say less, because the store keeps several hundred revisions.
 */
async function countObjects(): Promise<Record<string, number>> {
  // Watches of a deleted definition end after a second.
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const types = { AbortSignal, Map }
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, queryObjects(type, { format: 'count' })]))
}

test('creating and deleting a definition leaves nothing in memory', { timeout: 120_000 }, async () => {
  await createAndDelete(warmUp)
  const before = await countObjects()
  await createAndDelete(rounds)
  const after = await countObjects()
  for (const [name, count] of Object.entries(after)) expect((count - before[name]!) / rounds, name).toBeLessThan(0.5)
})
