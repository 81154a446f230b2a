import type { JsonObject } from '@keelson/apimachinery'
import { startBadWebhook } from '../definitions/bad-webhook.ts'
import { DefinitionsClient } from '../definitions/definitions-client.ts'
import type { Attempt } from '../definitions/definitions-client.ts'
import { ruleBombs, schemaBombs } from '../definitions/schema-bombs.ts'
import type { Bomb } from '../definitions/schema-bombs.ts'
import { widgetDefinition } from '../definitions/widget-definition.ts'
import { startServer } from '../http/server-process.ts'
import type { ServerProcess } from '../http/server-process.ts'
import { StallMeter } from '../http/stall-meter.ts'
import { fail, newResult, type Scenario, type ScenarioResult } from './scenario.ts'

const megabyte = 2 ** 20
const settleMs = 5000
/** Maximum of the 99th percentile of reads in each phase, in milliseconds of processor time. */
const maxPercentileMs = 25
const maxStallMs = 250
const maxGrowth = 50 * megabyte

interface Run {
  readonly server: ServerProcess
  readonly client: DefinitionsClient
  readonly meter: StallMeter
  readonly result: ScenarioResult
  /** Share of the operations of a full round. The short form runs a part of them. */
  readonly share: number
}

type Phase = (run: Run) => Promise<void>

/**
 * Scenario that sends hostile definitions and objects, uses conversion webhooks that are slow or return wrong answers, creates many definitions, and
 * changes one definition many times under load. Another client reads a custom object all the time.
 */
export const hostileDefinitions: Scenario = {
  name: 'hostile-definitions',
  about: 'schema bombs, costly rules, bad webhooks, many definitions, frequent changes: clear errors, fast reads, no growth',
  rounds: 10,
  roundsPerPart: 10,
  shortRounds: 0,
  async run({ rounds, directory, note }) {
    const result = newResult()
    await using server = await startServer(directory)
    using client = new DefinitionsClient(server.port, server.token)
    await client.define(widgetDefinition('steady'))
    await client.create('steady', 'a', { size: 1 })
    await using meter = new StallMeter(server, client.objectPath('steadies', 'a'))
    const run = { server, client, meter, result, share: rounds === 1 ? 0.02 : 0.1 }
    const rests: number[] = []
    for (let round = 1; round <= rounds && server.running(); round++) {
      for (const [name, phase] of Object.entries(phases)) {
        await measure(name, phase, run)
        if (!server.running()) fail(result, `${name}: the server died: ${server.loggedErrors().slice(-2000)}`)
        if (!server.running()) return result
      }
      await new Promise((resolve) => setTimeout(resolve, rounds === 1 ? 0 : settleMs))
      rests.push(server.rss())
      result.rounds++
      note(`round ${round}: memory ${rests.map(formatMegabytes).join(', ')}`)
    }
    // The first rounds compile code and fill caches that have a bound.
    const [, early = 0] = rests
    if (rests.length > 4 && rests.at(-1)! - early > maxGrowth)
      fail(result, `memory grows from round to round: ${rests.map(formatMegabytes).join(', ')}`)
    result.notes.push(`memory after each round: ${rests.map(formatMegabytes).join(', ')}`)
    return result
  },
}

/** Runs a phase and checks how long it delayed reads. */
async function measure(name: string, phase: Phase, run: Run): Promise<void> {
  const { meter, result } = run
  meter.take()
  meter.takePercentile(1)
  try {
    await phase(run)
  } catch (error) {
    fail(result, `${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
  const percentile = meter.takePercentile(0.99)
  const { milliseconds } = meter.take()
  result.notes.push(`${name}: reads took ${percentile.toFixed(1)} ms (p99), at most ${milliseconds.toFixed(0)} ms`)
  if (percentile > maxPercentileMs) fail(result, `${name}: the 99th percentile of reads is ${percentile.toFixed(1)} ms`)
  if (milliseconds > maxStallMs) fail(result, `${name}: a read took ${milliseconds.toFixed(0)} ms of processor time`)
}

const phases: Readonly<Record<string, Phase>> = {
  'schema bombs': (run) => sendBombs(run, schemaBombs),
  'costly rules': (run) => sendBombs(run, ruleBombs),
  'bad webhooks': useBadWebhooks,
  'many definitions': createMany,
  'frequent changes': changeOften,
}

/** Creates each definition, sends its objects, and removes the definition. Checks how long each request delays reads. */
async function sendBombs({ client, meter, result }: Run, bombs: readonly Bomb[]): Promise<void> {
  let longest = { milliseconds: 0, about: '' }
  const measure = async (about: string, request: () => Promise<Attempt>): Promise<number | undefined> => {
    meter.take()
    result.operations++
    const answer = await request().catch((error: unknown) => ({ status: undefined, problem: String(error) }))
    const { milliseconds } = meter.take()
    if (milliseconds > longest.milliseconds) longest = { milliseconds, about }
    if (answer.problem !== undefined) fail(result, `${about}: ${answer.problem}`)
    if (milliseconds > maxStallMs) fail(result, `${about}: a read took ${milliseconds.toFixed(0)} ms of processor time`)
    return answer.status
  }
  for (const { name, spec, objects } of bombs) {
    const status = await measure(`definition ${name}`, () => client.tryToDefine(name, spec()))
    if (status !== 201) continue
    for (const [n, object] of objects().entries()) await measure(`object ${n} of ${name}`, () => client.tryToCreate(name, `a${n}`, object))
    await client.remove(name)
  }
  result.notes.push(`longest read ${longest.milliseconds.toFixed(0)} ms: ${longest.about}`)
}

/** Reads objects through webhooks that are slow or return wrong conversions. All reads must fail with a clear message. */
async function useBadWebhooks({ client, result }: Run): Promise<void> {
  await using webhook = await startBadWebhook()
  for (const kind of webhook.kinds) {
    const name = `converted-${kind}`
    const conversion = { url: `${webhook.url}/${kind}`, caBundle: webhook.caBundle }
    await client.define(widgetDefinition(name, undefined, conversion))
    await client.create(name, 'a', { size: 1 })
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.get(client.objectPath(`${name}s`, 'a', 'v2'))))
    result.operations += answers.length
    for (const { status, body } of answers)
      if (status !== 500 || !body.includes('conversion webhook for')) fail(result, `${name}: returned ${status}: ${body.slice(0, 300)}`)
    await client.remove(name)
  }
}

async function createMany({ client, result, share }: Run): Promise<void> {
  const names = Array.from({ length: 5000 * share }, (_, n) => `many${n}`)
  for (const name of names) await client.define(widgetDefinition(name), { wait: false })
  await client.waitUntilServed(names.at(-1)!)
  result.operations += names.length
  for (const name of names) await client.remove(name, { wait: false })
  for (const name of names) await client.waitUntilRemoved(name)
}

/** Replaces the schema of a definition many times, while clients create, change and list its objects. */
async function changeOften({ client, result, share }: Run): Promise<void> {
  const name = 'changing'
  await client.define(widgetDefinition(name))
  let changing = true
  const load = Array.from({ length: 4 }, async (_, worker) => {
    for (let n = 0; changing; n++) {
      const answer = await client.tryToCreate(name, `w${worker}-${n % 50}`, { size: n })
      result.operations++
      if (answer.problem !== undefined) fail(result, `${name}: an object: ${answer.problem}`)
      const list = await client.get(client.collectionPath(`${name}s`))
      if (list.status !== 200) fail(result, `${name}: a list returned ${list.status}: ${list.body.slice(0, 300)}`)
    }
  })
  try {
    for (let change = 0; change < 1000 * share; change++) {
      const size: JsonObject = { type: 'integer', maximum: 1_000_000 + change }
      await client.change(name, (definition) => replaceSize(definition, size))
    }
  } finally {
    changing = false
    await Promise.all(load)
  }
  await client.remove(name)
}

function replaceSize(definition: JsonObject, size: JsonObject): JsonObject {
  const copy = structuredClone(definition) as {
    spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: { properties: { size: JsonObject } } } } } }[] }
  }
  for (const { schema } of copy.spec.versions) schema.openAPIV3Schema.properties.spec.properties.size = size
  return { ...definition, spec: copy.spec }
}

function formatMegabytes(bytes: number): string {
  return `${(bytes / megabyte).toFixed(0)} MB`
}
