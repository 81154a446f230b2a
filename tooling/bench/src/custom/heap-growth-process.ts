import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openMemory } from '@keelson/backend-embedded'
import { createServerChain } from '@keelson/control-plane'
import type { Figure } from '../frame/item.ts'
import { createWorkloadPod } from '../registry/workload-pod.ts'
import { definitionsPath } from './definitions.ts'
import { createPodLikeObject, createPodLikeDefinition, podLikes } from './pod-like-kind.ts'

// Creates and deletes a definition many times in this process. Prints by how many MiB the used heap grows between two rounds.

const firstRounds = 100
const lastRounds = 1000
/** Time in milliseconds after which the watches of a removed definition have ended. */
const drainMs = 2000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

// The history of the store and the watch caches keep the revisions of the last minutes, which are not what this process measures.
const openMemoryWithoutHistory = (): Promise<ReturnType<typeof openMemory>> => Promise.resolve(openMemory({ history: { revisions: 20 } }))
const watchCacheSizes = { 'customresourcedefinitions.apiextensions.k8s.io': 0, 'apiservices.apiregistration.k8s.io': 0 }

await using server = await createServerChain({ storage: { drivers: { memory: openMemoryWithoutHistory }, watchCacheSizes }, log: () => {} })
await server.start()
await send('POST', '/api/v1/namespaces', { metadata: { name: 'bench' } })

const pod = createWorkloadPod('a')
const definition = createPodLikeDefinition([pod])
const definitionPath = `${definitionsPath}/${definition.metadata.name}`

await playRounds(firstRounds)
const before = await measureHeap()
await playRounds(lastRounds)
const growth = ((await measureHeap()) - before) / 2 ** 20
console.log(JSON.stringify({ value: growth } satisfies Figure))

async function playRounds(count: number): Promise<void> {
  for (let round = 0; round < count; round++) {
    await send('POST', definitionsPath, definition)
    while ((await send('POST', podLikes, createPodLikeObject(pod))) !== 201) await wait(2)
    await send('GET', '/openapi/v3/apis/bench.example.com/v1')
    await send('DELETE', definitionPath)
    while ((await send('GET', definitionPath)) !== 404) await wait(2)
  }
}

async function send(method: string, path: string, body?: object): Promise<number> {
  const response = await server.fetch(path, {
    method,
    user: { name: 'bench', groups: ['system:masters'] },
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  return response.status
}

/** Returns the used heap in bytes after two garbage collections. */
async function measureHeap(): Promise<number> {
  await wait(drainMs)
  collectGarbage()
  await wait(drainMs)
  collectGarbage()
  return process.memoryUsage().heapUsed
}
