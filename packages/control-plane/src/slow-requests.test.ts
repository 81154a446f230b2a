import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { askServer, askServerForText } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const traces: string[] = []
let verbosity = 2
let delayMs = 0
let chain: ServerChain

beforeAll(async () => {
  chain = await startChain({
    admission: {
      plugins: { Slow: () => ({ name: 'Slow', operations: ['CREATE', 'UPDATE'], resources: ['configmaps'], admit: () => wait(delayMs) }) },
    },
    diagnostics: {
      profiling: true,
      slowRequests: { isEnabled: () => verbosity >= 2, isDetailed: () => verbosity >= 4, write: (text) => void traces.push(text) },
      setVerbosity(text) {
        if (!/^[0-9]$/.test(text)) throw new Error(`invalid verbosity ${text}`)
        verbosity = Number(text)
      },
    },
  })
})
beforeEach(() => {
  traces.length = 0
  verbosity = 2
})
afterAll(() => chain.close())

const configMaps = '/api/v1/namespaces/default/configmaps'

async function createSlowly(name: string): Promise<void> {
  delayMs = 600
  const { status } = await askServer(chain, 'POST', configMaps, { body: { metadata: { name } } })
  delayMs = 0
  expect(status).toBe(201)
}

test('logs a slow request with the step that took long', async () => {
  await askServer(chain, 'POST', configMaps, { body: { metadata: { name: 'slow' } } })
  delayMs = 600
  expect((await askServer(chain, 'PUT', `${configMaps}/slow`, { body: { metadata: { name: 'slow' }, data: { a: 'b' } } })).status).toBe(200)
  delayMs = 0
  expect(traces).toHaveLength(1)
  const lines = traces[0]!.trimEnd().split('\n')
  expect(lines[0]).toMatch(
    /^Trace\[\d+\]: "Update" accept:application\/json,audit-id:[^,]+,client:[^,]+,api-group:,api-version:v1,name:slow,/,
  )
  expect(lines[0]).toMatch(
    /scope:resource,url:\/api\/v1\/namespaces\/default\/configmaps\/slow,.*verb:PUT \(.*\) \(total time: \d{3,}ms\):$/,
  )
  expect(lines).toContainEqual(
    expect.stringMatching(/^Trace\[\d+\]: \["GuaranteedUpdate etcd3" .*type:\*core\.ConfigMap,group:,resource:configmaps \d{3,}ms \(/),
  )
  // The admission plugin ran before this step.
  expect(lines).toContainEqual(expect.stringMatching(/^Trace\[\d+\]: {2}---"About to Encode" \d{3,}ms \(\d\d:\d\d:\d\d\.\d{3}\)/))
  expect(lines.at(-1)).toMatch(/^Trace\[\d+\]: \[[\d.]+m?s\] \[[\d.]+m?s\] END$/)
})

test('logs no fast requests', async () => {
  expect((await askServer(chain, 'GET', `${configMaps}/slow`)).status).toBe(200)
  expect(traces).toEqual([])
})

test('the verbosity can be changed while the server runs', async () => {
  const put = (body: string) => askServerForText(chain, 'PUT', '/debug/flags/v', { body })
  expect(await put('0')).toMatchObject({ status: 200, text: 'successfully set klog.logging.verbosity to 0' })
  await createSlowly('unlogged')
  expect(traces).toEqual([])
  expect(await put('4')).toMatchObject({ status: 200 })
  await createSlowly('detailed')
  expect(traces[0]).toContain('---"About to convert to expected version"')
  expect(traces[0]).toContain('"SerializeObject"')
  expect(await put('x')).toMatchObject({ status: 400, text: 'invalid verbosity x' })
})

test('only PUT changes a flag, and the index lists the flags', async () => {
  expect(await askServerForText(chain, 'GET', '/debug/flags/v')).toMatchObject({ status: 406, text: 'unsupported http method' })
  const index = await askServerForText(chain, 'GET', '/debug/flags')
  expect(index).toMatchObject({ status: 200, text: expect.stringContaining('<tr>v<br>') })
  expect(await askServerForText(chain, 'GET', '/debug/flags/other')).toMatchObject({ status: 200, text: index.text })
})
