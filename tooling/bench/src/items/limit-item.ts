import type { Item } from '../frame/item.ts'
import { bareSide } from '../frame/judge.ts'
import { createLoadSide } from '../frame/load-side.ts'
import { startBare } from '../server-under-test.ts'

/** Item that compares a plain Hono handler with node:https alone, to check that Hono is not the bottleneck. */
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
      sides.push(createLoadSide({ server, name, unit: 'requests/s', load: () => load }))
    }
    return { sides }
  },
}
