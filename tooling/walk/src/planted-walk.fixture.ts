// Prints the walk of an update in which the registry calls a function of an HTTP package.
import { EngineTrace } from './engine-trace.ts'
import { Layers } from './layers.ts'
import { summarizeCalls } from './walk.ts'

const layers = new Layers(
  ['layer:base', 'layer:registry', 'layer:http'],
  new Map([
    ['apimachinery', 'layer:base'],
    ['registry', 'layer:registry'],
    ['http-installer', 'layer:http'],
  ]),
)
await using trace = await EngineTrace.open(new URL('planted/', import.meta.url).href)
const { handleUpdate } = await import('./planted/packages/http-installer/src/handle-update.ts')
const entries = await trace.record({
  prepare: () => Promise.resolve(),
  async run() {
    trace.enter()
    await handleUpdate()
  },
})
console.log(JSON.stringify(summarizeCalls(entries, layers)))
