import { buildCollectionPath, readServedResources } from '@keelson/tooling-e2e/served-resources'
import { HostileClient } from '../http/hostile-client.ts'
import { startServer } from '../http/server-process.ts'
import type { ServerProcess } from '../http/server-process.ts'
import { StallMeter } from '../http/stall-meter.ts'
import { createBaseObject, listValueCases } from '../http/value-cases.ts'
import type { ValueCase } from '../http/value-cases.ts'
import { createRandom } from '../load/random.ts'
import { fail, newResult, type Scenario, type ScenarioResult } from './scenario.ts'

const allRounds = 60
const megabyte = 2 ** 20
/** Maximum processor time in milliseconds for which one request may block other requests. */
const maxStallMs = 250
const maxGrowth = 300 * megabyte
const attempts = 3

/**
 * Scenario that sends a hostile string or a long list in every field of every kind, one value per request. Each round sends a part of these
 * cases.
 */
export const hostileValues: Scenario = {
  name: 'hostile-values',
  about: 'odd and long values in every field of every kind: no stall, no memory growth, no bug',
  rounds: allRounds,
  roundsPerPart: allRounds,
  shortRounds: 1,
  async run({ rounds, directory, note }) {
    const result = newResult()
    await using server = await startServer(directory)
    using client = new HostileClient(server.port, server.token)
    const cases = shuffle(await prepareCases(client))
    const share = Math.ceil(cases.length / allRounds)
    let longest = { milliseconds: 0, about: '' }
    for (let round = 0; round < rounds; round++) {
      const worst = await runCases(server, client, cases.slice(round * share, (round + 1) * share), result)
      if (worst.milliseconds > longest.milliseconds) longest = worst
      result.rounds++
      note(`${result.operations} of ${cases.length} requests; longest stall ${longest.milliseconds.toFixed(0)} ms: ${longest.about}`)
      if (!server.isRunning()) break
    }
    result.notes.push(`longest stall ${longest.milliseconds.toFixed(0)} ms: ${longest.about}`)
    return result
  },
}

export async function prepareCases(client: HostileClient): Promise<ValueCase[]> {
  const resources = await readServedResources(async (path) => {
    const answer = await client.send({ method: 'GET', path, headers: { accept: 'application/json' }, body: undefined })
    return JSON.parse(answer!.body) as unknown
  })
  const create = (path: string, object: object): Promise<unknown> =>
    client.send({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(object)) })
  // Pods without this account would be rejected before validation. No controller runs that would create it.
  await create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } })
  for (const resource of resources) {
    if (!resource.verbs.includes('create') || !resource.verbs.includes('update')) continue
    // A failure is ignored, because the object may exist already or require another one. An update of a missing object is a valid case too.
    await create(buildCollectionPath(resource, 'default'), createBaseObject(resource))
  }
  return listValueCases(resources)
}

/** Sends the cases one by one. Measures how each case affects other clients. */
export async function runCases(
  server: ServerProcess,
  client: HostileClient,
  cases: readonly ValueCase[],
  result: ScenarioResult,
): Promise<{ readonly milliseconds: number; readonly about: string }> {
  await using meter = new StallMeter(server)
  let longest = { milliseconds: 0, about: '' }
  for (const { about, request } of cases) {
    const created = await request()
    if (created === undefined) continue
    result.operations++
    let milliseconds = Infinity
    let growth = Infinity
    // Repeats a slow request, because a garbage collection for earlier requests may have delayed it.
    for (let attempt = 1; attempt <= attempts && (milliseconds > maxStallMs || growth > maxGrowth); attempt++) {
      const before = server.readMemory()
      meter.take()
      try {
        const answer = await client.send(created)
        // This message means that the server failed. Expected failures of apply and bindings return 500 with other messages.
        if (answer?.body.includes('the server could not handle the request'))
          fail(result, `${about}: ${server.loggedErrors().slice(-2000)}`)
      } catch (error) {
        fail(result, `${about}: ${String(error)}`)
      }
      const stall = meter.take()
      milliseconds = Math.min(milliseconds, stall.milliseconds)
      growth = Math.min(growth, stall.memory - before - created.body!.length)
      if (!server.isRunning()) {
        fail(result, `${about}: the server died: ${server.loggedErrors().slice(-2000)}`)
        return { milliseconds, about }
      }
    }
    if (milliseconds > longest.milliseconds) longest = { milliseconds, about }
    if (milliseconds > maxStallMs) fail(result, `${about}: other clients waited for ${milliseconds.toFixed(0)} ms of processor time`)
    if (growth > maxGrowth) fail(result, `${about}: allocated ${(growth / megabyte).toFixed(0)} MB`)
  }
  return longest
}

/** Shuffles items in place. The order is always the same, so that findings are reproducible. */
function shuffle<T>(items: T[]): T[] {
  const random = createRandom(1)
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[items[i], items[j]] = [items[j]!, items[i]!]
  }
  return items
}
