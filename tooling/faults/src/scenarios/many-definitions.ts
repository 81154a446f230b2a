import type { JsonObject } from '@keelson/apimachinery'
import { formatMegabytes, MeasuredServer } from '../definitions/measured-server.ts'
import { createWidgetDefinition } from '../definitions/widget-definition.ts'
import { fail, newResult, type Scenario } from './scenario.ts'

const maxGrowth = 10 * 2 ** 20
/** Maximum memory for each definition. Its stored bytes are a part of it. */
const maxBytesPerDefinition = 64 * 1024
/** Memory of the revisions of a removed definition in the history of the store and in watch caches, which is bounded by time. */
const historyBytesPerDefinition = 10 * 1024

/** Scenario that changes one definition many times under load, and creates 5,000 definitions. Another client reads a custom object all the time. */
export const manyDefinitions: Scenario = {
  name: 'many-definitions',
  about: 'a definition changed 1,000 times under load, 5,000 definitions at once: fast reads, no growth',
  rounds: 10,
  roundsPerPart: 10,
  shortRounds: 1,
  async run({ rounds, directory, note }) {
    const result = newResult()
    await using measured = await MeasuredServer.start(directory, result)
    const { client, server } = measured
    const isShort = rounds === 1
    measured.judgesPercentiles = !isShort
    await client.define(createWidgetDefinition('changing'))
    /** The used heap after each round of changes. */
    const used: number[] = []
    for (let round = 1; round <= rounds && server.isRunning(); round++) {
      await measured.measurePhase('changes', () => changeOften(measured, { first: round * 1000, count: isShort ? 20 : 100 }))
      result.rounds++
      if (!isShort) used.push(await measured.settledHeap())
    }
    note(`heap after each round of changes: ${used.map(formatMegabytes).join(', ')}`)
    result.notes.push(`heap after each round of changes: ${used.map(formatMegabytes).join(', ')}`)
    if (used.length > 2 && used.at(-1)! - used[1]! > maxGrowth)
      fail(result, `the heap grows from change to change: ${used.map(formatMegabytes).join(', ')}`)
    const names = Array.from({ length: isShort ? 100 : 5000 }, (_, n) => `many${n}`)
    await measured.measurePhase(`${names.length} definitions`, () => createAll(measured, names))
    const before = used.at(-1)
    if (before !== undefined) {
      const growth = (await measured.settledHeap()) - before
      result.notes.push(`${names.length} definitions take ${formatMegabytes(growth)}`)
      if (growth > names.length * maxBytesPerDefinition) fail(result, `${names.length} definitions take ${formatMegabytes(growth)}`)
    }
    await measured.measurePhase('removal', () => removeAll(measured, names))
    if (before !== undefined) {
      const rest = (await measured.settledHeap()) - before
      result.notes.push(`after their removal, ${formatMegabytes(rest)} more are in use than before`)
      if (rest > maxGrowth + names.length * historyBytesPerDefinition)
        fail(result, `${formatMegabytes(rest)} remain in use after definitions were removed`)
    }
    return result
  },
}

const workers = 4

/** Handles all names with a few workers. */
async function runForEach(names: readonly string[], handle: (name: string) => Promise<void>): Promise<void> {
  let next = 0
  const runWork = async (): Promise<void> => {
    while (next < names.length) await handle(names[next++]!)
  }
  await Promise.all(Array.from({ length: workers }, runWork))
}

async function createAll({ client, result }: MeasuredServer, names: readonly string[]): Promise<void> {
  await runForEach(names, async (name) => {
    await client.define(createWidgetDefinition(name), { wait: false })
    result.operations++
  })
  for (const name of [names[0]!, names.at(-1)!]) {
    await client.waitUntilServed(name)
    await client.create(name, 'a', { size: 2 })
  }
}

async function removeAll({ client }: MeasuredServer, names: readonly string[]): Promise<void> {
  await runForEach(names, (name) => client.remove(name, { wait: false }))
  for (const name of names) await client.waitUntilRemoved(name)
}

/** Replaces the schema of a definition many times, while clients create, change and list its objects. */
async function changeOften(
  { client, result }: MeasuredServer,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<void> {
  const name = 'changing'
  let changing = true
  const load = Array.from({ length: workers }, async (_, worker) => {
    for (let n = 0; changing; n++) {
      const { problem } = await client.tryToCreate(name, `w${worker}-${n % 50}`, { size: n })
      result.operations++
      if (problem !== undefined) fail(result, `${name}: an object: ${problem}`)
      const list = await client.get(client.collectionPath(`${name}s`))
      if (list.status !== 200) fail(result, `${name}: a list returned ${list.status}: ${list.body.slice(0, 300)}`)
    }
  })
  try {
    for (let change = 0; change < count; change++) {
      const size: JsonObject = { type: 'integer', maximum: 1_000_000 + first + change }
      await client.change(name, (definition) => replaceSize(definition, size))
    }
  } finally {
    changing = false
    await Promise.all(load)
  }
}

function replaceSize(definition: JsonObject, size: JsonObject): JsonObject {
  const copy = structuredClone(definition) as {
    spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: { properties: { size: JsonObject } } } } } }[] }
  }
  for (const { schema } of copy.spec.versions) schema.openAPIV3Schema.properties.spec.properties.size = size
  return { ...definition, spec: copy.spec }
}
