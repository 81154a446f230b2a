import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createServerChain } from './create-server-chain.ts'

const user = { name: 'me', groups: ['system:masters'] }
const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const name = 'widgets.example.com'

/** Returns a definition with 40,000 fields, which has 1.4 MB. */
function newLargeDefinition(): string {
  const fields = Array.from({ length: 40_000 }, (_, n) => [`field${n}`, { type: 'string' }])
  const properties = { spec: { type: 'object', properties: Object.fromEntries(fields) } }
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } }
  const spec = { group: 'example.com', scope: 'Cluster', names: { plural: 'widgets', kind: 'Widget' }, versions: [version] }
  return JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name }, spec })
}

/** Measures the processor time of this thread in milliseconds. Other programs on the machine have less influence on it than on elapsed time. */
function startProcessorTime(): () => number {
  const start = process.threadCpuUsage()
  return () => {
    const usage = process.threadCpuUsage(start)
    return (usage.user + usage.system) / 1000
  }
}

/** Runs `run`, and returns the processor time of the longest turn of the event loop in the meantime. */
async function measureLongestTurn(run: () => Promise<void>): Promise<number> {
  let isRunning = true
  let longest = 0
  const measuring = (async () => {
    while (isRunning) {
      const processorTime = startProcessorTime()
      await nextTurn()
      longest = Math.max(longest, processorTime())
    }
  })()
  await run()
  isRunning = false
  await measuring
  return longest
}

function measureParsing(text: string): number {
  const processorTime = startProcessorTime()
  JSON.parse(text)
  return processorTime()
}

// Parsing the definition is the unit, because it cannot be divided, and its time depends on the machine like the other times.
it.skipIf(process.threadCpuUsage === undefined)('controllers change a large definition in short steps', { timeout: 300_000 }, async () => {
  await using server = await createServerChain({ log: () => {} })
  await server.start()
  const definition = newLargeDefinition()
  const send = async (method: string, path: string, body?: string, accept = 'application/json'): Promise<number> => {
    const headers = { 'content-type': 'application/json', accept }
    const response = await server.fetch(path, { method, user, headers, ...(body !== undefined && { body }) })
    await response.arrayBuffer()
    return response.status
  }
  const isListed = async (): Promise<boolean> => (await send('GET', '/apis/example.com/v1')) === 200
  const onlyMetadata = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
  const exists = async (): Promise<boolean> => (await send('GET', `${definitionsPath}/${name}`, undefined, onlyMetadata)) === 200
  const rounds: { creation: number; establishing: number; deletion: number }[] = []
  // The first round compiles code. A garbage collection may occur in any round.
  for (let round = 0; round < 4; round++) {
    const creation = await measureLongestTurn(async () => expect(await send('POST', definitionsPath, definition)).toBe(201))
    const establishing = await measureLongestTurn(async () => {
      while (!(await isListed())) await wait(5)
    })
    const deletion = await measureLongestTurn(async () => {
      expect(await send('DELETE', `${definitionsPath}/${name}`)).toBe(200)
      while (await exists()) await wait(5)
    })
    const unit = measureParsing(definition)
    if (round > 0) rounds.push({ creation: creation / unit, establishing: establishing / unit, deletion: deletion / unit })
  }
  const findShortest = (phase: keyof (typeof rounds)[0]): number => Math.min(...rounds.map((round) => round[phase]))
  expect(findShortest('creation')).toBeLessThan(3)
  expect(findShortest('establishing')).toBeLessThan(0.8)
  expect(findShortest('deletion')).toBeLessThan(0.8)
})
