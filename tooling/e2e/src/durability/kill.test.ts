import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { startKeelsonProcess } from '../keelson-process.ts'

const rounds = Number(process.env['KEELSON_CRASH_ROUNDS'] ?? 3)
const clients = 32
const scratch = await mkdtemp(path.join(os.tmpdir(), 'keelson-kill-'))
afterAll(() => rm(scratch, { recursive: true, force: true }))

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string }
  readonly data: { readonly payload: string }
}

test(
  `objects acknowledged with 201 exist exactly once after SIGKILL (${rounds} rounds)`,
  async () => {
    const dataDir = path.join(scratch, 'data')
    const acknowledged = new Map<string, ConfigMap>()
    const attempted = new Set<string>()
    let newest = 0
    for (let round = 0; round <= rounds; round++) {
      const server = await startKeelsonProcess({ dataDir, controllers: 'none' })
      using client = new HttpsClient(server.url, server.token, clients)

      const list = (await client.request('GET', '/api/v1/namespaces/default/configmaps')).parseJson<{
        metadata: { resourceVersion: string }
        items: ConfigMap[]
      }>()
      const itemsByName = new Map(list.items.map((item) => [item.metadata.name, item]))
      expect(itemsByName.size).toBe(list.items.length)
      for (const [name, written] of acknowledged) expect(itemsByName.get(name), `round ${round}: ${name}`).toMatchObject(written)
      for (const [name, item] of itemsByName) {
        expect(attempted.has(name)).toBe(true)
        expect(item.data.payload).toBe(createPayload(name))
      }
      const revisions = list.items.map((item) => Number(item.metadata.resourceVersion))
      expect(new Set(revisions).size).toBe(revisions.length)
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(newest)
      newest = Math.max(newest, Number(list.metadata.resourceVersion))
      if (round === rounds) {
        await server.stop()
        break
      }

      let alive = true
      const loaded = Promise.withResolvers<void>()
      const work = Array.from({ length: clients }, async (_, worker) => {
        for (let i = 0; alive; i++) {
          const name = `r${round}-w${worker}-${i}`
          attempted.add(name)
          const answer = await client
            .request('POST', '/api/v1/namespaces/default/configmaps', {
              body: { metadata: { name }, data: { payload: createPayload(name) } },
            })
            .catch(() => undefined)
          if (answer === undefined) return
          expect(answer.status).toBe(201)
          const created = answer.parseJson<ConfigMap>()
          expect(Number(created.metadata.resourceVersion)).toBeGreaterThan(newest)
          acknowledged.set(name, {
            metadata: { name, uid: created.metadata.uid, resourceVersion: created.metadata.resourceVersion },
            data: created.data,
          })
          if (acknowledged.size > (round + 1) * clients) loaded.resolve()
        }
      })
      // Waits for the first responses, so that even on a slow machine the kill happens under load.
      await Promise.race([loaded.promise, Promise.all(work)])
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 400))
      await server.kill()
      alive = false
      await Promise.all(work)
      for (const { metadata } of acknowledged.values()) newest = Math.max(newest, Number(metadata.resourceVersion))
    }
    expect(acknowledged.size).toBeGreaterThan(rounds * clients)
  },
  30_000 + rounds * 10_000,
)

function createPayload(name: string): string {
  return `${name} `.repeat(100)
}
