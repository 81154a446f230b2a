import { Hono } from 'hono'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import type { InstallerEnv } from '@keelson/http-installer'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PathRouter } from './hono-adapter.ts'

const onError = (error: Error): Response => new Response(`error: ${error.message}`, { status: 500 })

/** Creates the same app twice: once with `PathRouter` and once with Hono's default router. */
function apps(install: (app: Hono<InstallerEnv>) => void): readonly [ours: Hono<InstallerEnv>, usual: Hono<InstallerEnv>] {
  const ours = new Hono<InstallerEnv>({ router: new SmartRouter({ routers: [new PathRouter(onError), new TrieRouter()] }) })
  const usual = new Hono<InstallerEnv>()
  for (const app of [ours, usual]) {
    app.onError(onError)
    install(app)
  }
  return [ours, usual]
}

const told = async (answer: Response | Promise<Response>): Promise<readonly [number, string]> => [
  (await answer).status,
  await (await answer).text(),
]

const patterns = ['*', '/', '/a', '/a/', '/a/*', '/a/b', '/a/b/*', '/ab', '/b/*']
const paths = ['/', '/a', '/a/', '/a/b', '/a/b/', '/a/b/c', '/a/c', '/ab', '/ab/', '/b', '/b/', '/b/a', '/c']
const methods = ['GET', 'POST', 'HEAD', 'STRANGE', 'ALL']

test("calls the same handlers in the same order as Hono's default router", async () => {
  const route = fc.record({ pattern: fc.constantFrom(...patterns), method: fc.constantFrom('all', 'get', 'post'), ends: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(
      fc.array(route, { maxLength: 6 }),
      fc.constantFrom(...paths),
      fc.constantFrom(...methods),
      async (routes, path, method) => {
        const met: string[] = []
        const both = apps((app) => {
          routes.forEach(({ pattern, method: on, ends }, i) =>
            app.on(on.toUpperCase(), pattern, async (_c, next): Promise<Response | void> => {
              met.push(`in ${i}`)
              if (ends) return new Response(`ends ${i}`)
              await next()
              met.push(`out ${i}`)
            }),
          )
        })
        const seen = []
        for (const app of both) {
          // Requests each path twice, because the second request uses the cached result.
          for (let i = 0; i < 2; i++) {
            met.length = 0
            seen.push({ answer: await told(app.request(path, { method })), met: [...met] })
          }
        }
        expect(seen[0]).toEqual(seen[2])
        expect(seen[1]).toEqual(seen[2])
      },
    ),
  )
})

test("answers a handler's error behind the chain, and an error of the chain outside it", async () => {
  const after: number[] = []
  const [ours, usual] = apps((app) => {
    app.use('*', async (c, next) => {
      if (c.req.path === '/early') throw new Error('early')
      await next()
      after.push(c.res.status)
    })
    app.get('/late', () => {
      throw new Error('late')
    })
  })
  for (const app of [ours, usual]) {
    expect(await told(app.request('/late'))).toEqual([500, 'error: late'])
    expect(await told(app.request('/early'))).toEqual([500, 'error: early'])
  }
  expect(after).toEqual([500, 500])
})

test('leaves other patterns to another router', async () => {
  const [ours] = apps((app) => app.get('/things/:name', (c) => c.text(c.req.param('name'))))
  expect(await told(ours.request('/things/one'))).toEqual([200, 'one'])
})
