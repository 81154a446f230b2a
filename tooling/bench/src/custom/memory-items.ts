import type { Bench } from '../frame/bench.ts'
import type { Item } from '../frame/item.ts'
import { readUsage } from '../process-usage.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { install, openApi, readRealDefinitions, touchVersions } from './definitions.ts'
import type { Definition } from './definitions.ts'

const count = 300

export const definitionMemoryItems: readonly Item[] = [
  createMemoryItem({
    name: 'memory',
    title: `memory for each of ${count} definitions of real projects, after an object was sent to each version`,
    touch: true,
  }),
  createMemoryItem({
    name: 'memory-idle',
    title: `memory for each of ${count} definitions of real projects without requests`,
    touch: false,
  }),
]

interface MemoryOptions {
  readonly name: string
  readonly title: string
  /** Whether to send an object to each version of each definition. */
  readonly touch: boolean
}

let servers = 0

/** Creates an item that measures how much memory definitions add to a server. Starts a new server for each measurement. */
function createMemoryItem({ name, title, touch }: MemoryOptions): Item {
  return {
    name: `custom/${name}`,
    title,
    unit: 'MiB',
    bar: { type: 'most', value: 1 },
    only: 'named',
    rounds: 1,
    async open(bench: Bench) {
      const definitions = await readRealDefinitions(count)
      return {
        sides: [
          {
            name: 'keelson',
            async measure() {
              await bench.stop()
              const server = (await bench.startServer(
                { pods: 1, configMaps: 0 },
                { copyName: `custom-memory-${++servers}`, cores: 'all' },
              ))!
              return { value: await measureMemory(server, definitions, touch), rssAnonMiB: readUsage(server.pid)!.rssAnonMiB }
            },
          },
        ],
      }
    },
  }
}

async function measureMemory(server: ServerUnderTest, definitions: readonly Definition[], touch: boolean): Promise<number> {
  using api = openApi(server)
  // Installs and touches one definition first, because the first one also loads code.
  const [first, ...others] = definitions
  await touchVersions(api, await install(api, [first!]))
  const before = await measureSettled(server)
  const accepted = await install(api, others)
  if (touch) await touchVersions(api, accepted)
  return ((await measureSettled(server)) - before) / accepted.length
}

/** Returns the private memory of a server in MiB after garbage collection. */
async function measureSettled(server: ServerUnderTest): Promise<number> {
  for (let collected = 0; collected < 3; collected++) {
    await server.probe!.collect()
    await new Promise((resolve) => setTimeout(resolve, 2000))
  }
  return readUsage(server.pid)!.rssAnonMiB
}
