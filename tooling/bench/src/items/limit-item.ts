import type { Item } from '../frame/item.ts'
import { bareSide } from '../frame/judge.ts'
import { loadSide } from '../frame/load-side.ts'
import { startBare } from '../server-under-test.ts'

/** Compares a plain Hono handler with raw node:https. Hono must not be the bottleneck under the usual load. */
export const limitItem: Item = {
  name: 'http/limit',
  title: 'the bare server: a plain handler compared with raw node:https, 8 KB',
  unit: 'requests/s',
  bar: { type: 'share', least: 0.8 },
  async open({ scratch }, stack) {
    const body = Buffer.alloc(8192, 'x')
    const sides = []
    for (const [name, kind] of [
      ['handler', undefined],
      [bareSide, 'raw'],
    ] as const) {
      const server = stack.use(await startBare(scratch, { body, ...(kind && { kind }) }))
      const load = { connections: 10, pipeline: 1, request: { method: 'GET', path: '/' } }
      sides.push(loadSide({ server, name, unit: 'requests/s', load: () => load }))
    }
    return { sides }
  },
}
