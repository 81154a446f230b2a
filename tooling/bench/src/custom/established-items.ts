import type { HttpsClient } from '@keelson/tooling-e2e/https-client'
import type { Bench } from '../frame/bench.ts'
import type { Item, Side } from '../frame/item.ts'
import { computeMedian } from '../frame/middle.ts'
import { createWorkloadPod } from '../registry/workload-pod.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { definitionsPath, install, openApi, readRealDefinitions, waitUntilServed } from './definitions.ts'
import type { Definition } from './definitions.ts'
import { createPodLikeDefinition } from './pod-like-kind.ts'

/** Number of definitions that one measurement creates. */
const created = 30

export const establishedItems: readonly Item[] = [
  createEstablishedItem({
    name: 'established',
    title: 'from the creation of a definition to the first list of its objects',
    present: 0,
    maximum: 20,
  }),
  createEstablishedItem({
    name: 'established-1000',
    title: 'from the creation of a definition to the first list of its objects, with 1,000 other definitions',
    present: 1000,
    maximum: 30,
  }),
]

interface EstablishedOptions {
  readonly name: string
  readonly title: string
  /** Number of definitions that exist before the measurement. */
  readonly present: number
  /** Maximum duration in milliseconds. */
  readonly maximum: number
}

/** Creates an item that measures the median time until the objects of a new definition can be listed. */
function createEstablishedItem({ name, title, present, maximum }: EstablishedOptions): Item {
  return {
    name: `custom/${name}`,
    title,
    unit: 'ms',
    bar: { type: 'most', value: maximum },
    only: 'named',
    rounds: 3,
    async open(bench: Bench) {
      const size = { pods: 1, configMaps: 0 }
      const server = (await bench.startServer(size, { copyName: `custom-${name}`, cores: 'all' }))!
      using api = openApi(server)
      await install(api, await readRealDefinitions(present))
      const servers = [server, ...(present === 0 ? await bench.startComparedServers(size) : [])]
      return { sides: servers.map((each) => createSide(each)) }
    },
  }
}

function createSide(server: ServerUnderTest): Side {
  return {
    name: server.name,
    async measure() {
      using api = openApi(server)
      const times: number[] = []
      for (let n = 0; n < created; n++)
        times.push(await measureOne(api, renameDefinition(createPodLikeDefinition([createWorkloadPod('a')]), n)))
      return { value: computeMedian(times), p99: Math.max(...times) }
    },
  }
}

async function measureOne(api: HttpsClient, definition: Definition): Promise<number> {
  const began = performance.now()
  const { status, text } = await api.request('POST', definitionsPath, { body: definition })
  if (status !== 201) throw new Error(`creating a definition returned ${status}: ${text}`)
  await waitUntilServed(api, definition)
  const took = performance.now() - began
  const path = `${definitionsPath}/${definition.metadata.name}`
  await api.request('DELETE', path)
  while ((await api.request('GET', path)).status !== 404) await new Promise((resolve) => setTimeout(resolve, 10))
  return took
}

function renameDefinition({ spec, ...rest }: Definition, n: number): Definition {
  const names = { ...spec.names, plural: `podlikes${n}`, kind: `PodLike${n}` }
  return { ...rest, metadata: { name: `podlikes${n}.${spec.group}` }, spec: { ...spec, names } }
}
