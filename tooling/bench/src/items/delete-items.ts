import { pods } from '../fill-store.ts'
import type { Figure, Item, Side } from '../frame/item.ts'
import { readUsage } from '../process-usage.ts'
import { runClient } from '../run-client.ts'
import { ask } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { createPod } from './pod-writes.ts'
import { startChangedServers } from './write-item.ts'

const clients = 32
const count = 2000
let runs = Date.now() % 1_000_000_000

export const deleteItem: Item = {
  name: 'http/delete',
  title: `DELETE ${count.toLocaleString('en')} pods of 3 KB, durable, ${clients} clients`,
  unit: 'operations/s',
  compares: true,
  rounds: 5,
  async open(bench) {
    return { sides: (await startChangedServers(bench)).map((each) => createSide(each, deleteEach)) }
  },
}

export const deleteCollectionItem: Item = {
  name: 'http/deletecollection',
  title: `DELETE of a collection of ${count.toLocaleString('en')} pods of 3 KB, durable`,
  unit: 'operations/s',
  compares: true,
  rounds: 5,
  async open(bench) {
    return { sides: (await startChangedServers(bench)).map((each) => createSide(each, deleteAll)) }
  },
}

interface Deleted extends Pick<Figure, 'p50' | 'p99'> {
  readonly seconds: number
  readonly clientSeconds?: number
}

async function deleteEach(server: ServerUnderTest, run: string): Promise<Deleted> {
  const { url, token } = server
  const request = { method: 'DELETE', path: `${pods}/${run}-{n}`, digits: 7 }
  const { seconds, cpuSeconds, p50, p99, failures, firstFailure } = await runClient({
    url,
    token,
    connections: clients,
    pipeline: 1,
    seconds: 600,
    count,
    request,
  })
  if (failures > 0) throw new Error(`${server.name}: DELETE failed with ${firstFailure}`)
  return { seconds, clientSeconds: cpuSeconds, p50, p99 }
}

async function deleteAll(server: ServerUnderTest, run: string): Promise<Deleted> {
  const began = performance.now()
  const { status } = await ask(server, 'DELETE', `${pods}?labelSelector=run%3D${run}`)
  if (status !== 200) throw new Error(`${server.name}: DELETE of a collection failed with ${status}`)
  return { seconds: (performance.now() - began) / 1000 }
}

/** Creates a side that measures deletes. The objects are created before the measurement starts. */
function createSide(server: ServerUnderTest, remove: (server: ServerUnderTest, run: string) => Promise<Deleted>): Side {
  const { name, url, token, pid, probe } = server
  return {
    name,
    async measure() {
      const run = `delete-${++runs}`
      const template = createPod('3 KB', run)
      const pod = JSON.parse(template.body!) as { metadata: { labels: Record<string, string> } }
      pod.metadata.labels['run'] = run
      const request = { ...template, body: JSON.stringify(pod) }
      const creation = await runClient({ url, token, connections: clients, pipeline: 1, seconds: 600, count, request })
      if (creation.failures > 0) throw new Error(`${name}: creating pods failed with ${creation.firstFailure}`)
      const before = readUsage(pid)
      const { seconds, clientSeconds, ...latency } = await remove(server, run)
      const after = readUsage(pid)
      const cpu = before === undefined || after === undefined ? undefined : after.cpuSeconds - before.cpuSeconds
      return {
        value: count / seconds,
        ...latency,
        ...(clientSeconds !== undefined && { clientCpu: (clientSeconds / count) * 1000, clientCores: clientSeconds / seconds }),
        ...(cpu !== undefined && { serverCpu: (cpu / count) * 1000, serverCores: cpu / seconds }),
        ...(after !== undefined && { rssAnonMiB: after.rssAnonMiB, peakRssMiB: after.peakRssMiB }),
      }
    },
    ...(probe !== undefined && { startProfile: (file: string) => probe.startProfile(file) }),
  }
}
