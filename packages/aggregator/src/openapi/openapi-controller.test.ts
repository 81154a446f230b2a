import type { Route } from '@keelson/exchange'
import { expect, it } from 'vitest'
import { createRemotes } from '../api-services.fixture.ts'
import type { TestRemotes, TestResponder } from '../api-services.fixture.ts'
import { OpenApiController } from './openapi-controller.ts'

const name = 'v1.a.example.com'
const path = 'apis/a.example.com/v1'

interface TestOpenApi extends TestRemotes, AsyncDisposable {
  /** URLs of the listed documents, by path. */
  readonly listed: ReadonlyMap<string, string>
}

function openController(respond: TestResponder, ...names: readonly string[]): TestOpenApi {
  const remotes = createRemotes(respond, ...names)
  const { index, servers, clock, queueMetrics, onError } = remotes
  const listed = new Map<string, string>()
  const controller = new OpenApiController({
    index,
    openApi: {
      addRemote(added, { url }) {
        listed.set(added, url)
        return () => void listed.delete(added)
      },
    },
    findClient: servers.findClient,
    findRoute: () => ({}) as Route,
    clock,
    queueMetrics,
    onError,
  })
  return { ...remotes, listed, [Symbol.asyncDispose]: () => controller[Symbol.asyncDispose]() }
}

const respondPaths = (paths: object): ReturnType<TestResponder> => ({ body: Buffer.from(JSON.stringify({ paths })) })
const respondUrl = (serverRelativeURL: unknown): ReturnType<TestResponder> => respondPaths({ [path]: { serverRelativeURL } })

it('reads the index of a server after a second and then every minute, and lists only the document of its group version', async () => {
  const elsewhere = { serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=1' }
  await using test = openController(
    () => respondPaths({ [path]: { serverRelativeURL: `/openapi/v3/${path}?hash=1` }, 'apis/apps/v1': elsewhere }),
    name,
  )
  await test.clock.pass(999)
  expect(test.servers.requests).toEqual([])
  await test.clock.pass(1)
  expect(test.servers.requests).toMatchObject([
    { name, path: '/openapi/v3', headers: { 'X-Remote-User': 'system:aggregator' }, timeoutMs: 60_000 },
  ])
  expect([...test.listed]).toEqual([[path, `/openapi/v3/${path}?hash=1`]])
  test.servers.respond = () => respondUrl(`/openapi/v3/${path}?hash=2`)
  await test.clock.pass(59_999)
  expect(test.servers.requests.length).toBe(1)
  await test.clock.pass(1)
  expect([...test.listed]).toEqual([[path, `/openapi/v3/${path}?hash=2`]])
})

it.each<[string, unknown]>([
  ['of another host', 'https://elsewhere.example.com/'],
  ['of another host without scheme', `//elsewhere.example.com/openapi/v3/${path}`],
  ['of another group version', '/openapi/v3/apis/apps/v1?hash=1'],
  ['with a longer path', `/openapi/v3/${path}/../../apps/v1`],
  ['that is very long', `/openapi/v3/${path}?hash=${'x'.repeat(3000)}`],
  ['that is no text', 7],
])('does not list a URL %s', async (_name, url) => {
  await using test = openController(() => respondUrl(url), name)
  await test.clock.pass(1000)
  expect([test.servers.requests.length, test.listed.size, test.errors]).toEqual([1, 0, []])
})

it('keeps the document while its server fails, and waits longer after each failure, up to an hour', async () => {
  const url = `/openapi/v3/${path}?hash=1`
  await using test = openController(() => respondUrl(url), name)
  await test.clock.pass(1000)
  const times: number[] = []
  const failures: ReturnType<TestResponder>[] = [new Error('EOF'), { status: 500 }, { body: Buffer.from('{"paths"') }]
  test.servers.respond = () => {
    times.push(test.clock.now())
    return failures[(times.length - 1) % failures.length]!
  }
  await test.clock.pass(5 * 3_600_000)
  const delays = times.slice(1).map((time, i) => (time - times[i]!) / 60_000)
  expect(delays.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  expect(test.errors.slice(0, 2)).toEqual(['EOF', `OpenAPI of ${name}: status 500`])
  expect([...test.listed.values()]).toEqual([url])

  // A change of the availability does not wait for the backoff.
  test.servers.respond = () => respondUrl(`/openapi/v3/${path}?hash=2`)
  test.index.set(name, { available: { status: 'False', reason: 'FailedDiscoveryCheck', message: '' } })
  await test.clock.pass(1000)
  expect([...test.listed.values()]).toEqual([`/openapi/v3/${path}?hash=2`])
})

it('lists nothing of a server without OpenAPI v3, and of a deleted or local APIService', async () => {
  const url = `/openapi/v3/${path}`
  await using test = openController(() => respondUrl(url), name)
  await test.clock.pass(1000)
  expect(test.listed.size).toBe(1)
  test.servers.respond = () => ({ status: 404 })
  await test.clock.pass(60_000)
  expect(test.listed.size).toBe(0)
  test.servers.respond = () => respondUrl(url)
  await test.clock.pass(60_000)
  expect(test.listed.size).toBe(1)
  const { service } = test.index.get(name)!
  test.index.set(name, { service: undefined })
  expect(test.listed.size).toBe(0)
  const before = test.servers.requests.length
  await test.clock.pass(120_000)
  expect(test.servers.requests.length).toBe(before)
  test.index.set(name, { service, uid: 'other' })
  await test.clock.pass(1000)
  expect(test.listed.size).toBe(1)
  test.index.delete(name)
  expect(test.listed.size).toBe(0)
})

it('drops an index that arrives after its APIService was replaced', async () => {
  const answers: (() => void)[] = []
  const url = `/openapi/v3/${path}`
  await using test = openController(() => new Promise<never>((resolve) => answers.push(() => resolve(respondUrl(url) as never))), name)
  await test.clock.pass(1000)
  test.index.delete(name)
  test.index.set(name, { uid: 'other' })
  test.servers.respond = () => ({ status: 404 })
  answers[0]!()
  await test.clock.pass(0)
  expect(test.listed.size).toBe(0)
  await test.clock.pass(1000)
  expect(test.servers.requests.length).toBe(2)
})
