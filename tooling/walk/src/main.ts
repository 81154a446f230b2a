// npm run walk -- VERB RESOURCE: prints the files and functions of one request. See tooling/walk/README.md.
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { createAction, findResource, verbs } from './actions.ts'
import { EngineTrace } from './engine-trace.ts'
import type { Action, Entry } from './engine-trace.ts'
import { Layers } from './layers.ts'
import { report } from './report.ts'
import { formatLabel, summarizeCalls } from './walk.ts'
import { WalkedServer } from './walked-server.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const usage = `Usage: npm run walk -- VERB RESOURCE [--json] [--background]

VERB is one of ${verbs.join(', ')}; a watch follows one event.
RESOURCE is a plural name: configmaps, deployments, leases.coordination.k8s.io.
--json prints the figures, files and functions as JSON.
--background includes what ran meanwhile for others, such as the watch cache.`

/** Number of warm-up requests. After them, a request loads no modules and compiles no functions. */
const warmRounds = 20
/** Milliseconds to wait after a response for work that the server does later, such as metrics. */
const settleMs = 50

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, background: { type: 'boolean', default: false } },
})
const [verb, resourceName] = positionals
if (verb === undefined || resourceName === undefined || !verbs.includes(verb)) {
  console.error(usage)
  process.exit(2)
}

await using trace = await EngineTrace.open(pathToFileURL(`${root}/`).href)
await using server = await WalkedServer.start()
const resource = await findResource(server, resourceName)
const action = await createAction(server, verb, resource)
for (let round = 0; round < warmRounds; round++) {
  await action.prepare()
  await action.run()
}
const entries = await record(action)
const apart = new Set((action.apart ? await record(action.apart) : []).map(({ callee }) => formatLabel(callee)))
// A watch event has no asynchronous context of a request, so all calls count.
const counted = verb === 'watch' || values.background ? entries : entries.filter(({ isPartOfAction }) => isPartOfAction)
const walk = summarizeCalls(
  counted.filter(({ callee }) => !apart.has(formatLabel(callee))),
  Layers.read(root),
)
console.log(values.json ? JSON.stringify(walk) : report(walk, `${verb} ${resourceName}`))

function record({ prepare, run }: Action): Promise<Entry[]> {
  return trace.record({
    async prepare() {
      await prepare()
      await sleep(settleMs)
    },
    async run() {
      server.onRequest = () => trace.enter()
      await run()
      server.onRequest = () => {}
      await sleep(settleMs)
    },
  })
}
