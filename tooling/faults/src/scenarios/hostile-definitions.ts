import { startBadWebhook } from '../definitions/bad-webhook.ts'
import { formatMegabytes, MeasuredServer } from '../definitions/measured-server.ts'
import { ruleBombs, schemaBombs } from '../definitions/schema-bombs.ts'
import type { Bomb } from '../definitions/schema-bombs.ts'
import { createWidgetDefinition } from '../definitions/widget-definition.ts'
import { fail, newResult, type Scenario } from './scenario.ts'

const maxGrowth = 10 * 2 ** 20
/** The short form sends every third bomb. */
const shortShare = 3

/**
 * Scenario that sends hostile definitions and objects, and uses conversion webhooks that are slow or return wrong answers. Another client reads a
 * custom object all the time.
 */
export const hostileDefinitions: Scenario = {
  name: 'hostile-definitions',
  about: 'schema bombs, costly rules, bad webhooks: clear errors, fast reads, no growth',
  rounds: 6,
  roundsPerPart: 6,
  shortRounds: 1,
  async run({ rounds, directory, note }) {
    const result = newResult()
    await using measured = await MeasuredServer.start(directory, result)
    const { server } = measured
    const isShort = rounds === 1
    measured.judgesPercentiles = !isShort
    const select = (bombs: readonly Bomb[]): readonly Bomb[] => (isShort ? bombs.filter((_, n) => n % shortShare === 0) : bombs)
    /** The used heap after each round. */
    const used: number[] = []
    for (let round = 1; round <= rounds && server.isRunning(); round++) {
      await measured.measurePhase('schema bombs', () => sendBombs(measured, select(schemaBombs)))
      await measured.measurePhase('costly rules', () => sendBombs(measured, select(ruleBombs)))
      await measured.measurePhase('bad webhooks', () => useBadWebhooks(measured))
      if (!server.isRunning()) return result
      result.rounds++
      if (isShort) continue
      used.push(await measured.settledHeap())
      note(`round ${round}: heap ${used.map(formatMegabytes).join(', ')}`)
    }
    // The first rounds compile code and fill caches that have a bound.
    if (used.length > 2 && used.at(-1)! - used[1]! > maxGrowth)
      fail(result, `the heap grows from round to round: ${used.map(formatMegabytes).join(', ')}`)
    result.notes.push(`heap after each round: ${used.map(formatMegabytes).join(', ')}`)
    return result
  },
}

/** Creates each definition, sends its objects, and removes the definition. Checks how long each request delays reads. */
export async function sendBombs(measured: MeasuredServer, bombs: readonly Bomb[]): Promise<void> {
  const { client, result } = measured
  let longest = { milliseconds: 0, about: '' }
  const send = async (about: string, request: Parameters<MeasuredServer['measureRequest']>[1]): Promise<number | undefined> => {
    const { status, milliseconds } = await measured.measureRequest(about, request)
    if (milliseconds > longest.milliseconds) longest = { milliseconds, about }
    return status
  }
  for (const { name, spec, objects } of bombs) {
    const status = await send(`definition ${name}`, () => client.tryToDefine(name, spec()))
    if (status !== 201) continue
    for (const [n, object] of objects().entries()) await send(`object ${n} of ${name}`, () => client.tryToCreate(name, `a${n}`, object))
    await send(`removal of ${name}`, async () => {
      await client.remove(name)
      return { status: 200, problem: undefined }
    })
  }
  result.notes.push(`longest read ${longest.milliseconds.toFixed(0)} ms: ${longest.about}`)
}

/** Reads objects through webhooks that are slow or return wrong conversions. All reads must fail with a clear message. */
async function useBadWebhooks({ client, result }: MeasuredServer): Promise<void> {
  await using webhook = await startBadWebhook()
  for (const kind of webhook.kinds) {
    const name = `converted-${kind}`
    const conversion = { url: `${webhook.url}/${kind}`, caBundle: webhook.caBundle }
    await client.define(createWidgetDefinition(name, undefined, conversion))
    await client.create(name, 'a', { size: 1 })
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.get(client.objectPath(`${name}s`, 'a', 'v2'))))
    result.operations += answers.length
    for (const { status, body } of answers)
      if (status !== 500 || !body.includes('conversion webhook for')) fail(result, `${name}: returned ${status}: ${body.slice(0, 300)}`)
    await client.remove(name)
  }
}
