import { Hono } from 'hono'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import type { InstallerEnv } from '@keelson/http-installer'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PathRouter } from './hono-adapter.ts'

const onError = (error: Error): Response => new Response(`error: ${error.message}`, { status: 500 })

/** Creates the same app twice: once with `PathRouter` and once with Hono's default router. */
function createApps(install: (app: Hono<InstallerEnv>) => void): readonly [ours: Hono<InstallerEnv>, usual: Hono<InstallerEnv>] {
  const pathRouterApp = new Hono<InstallerEnv>({ router: new SmartRouter({ routers: [new PathRouter(onError), new TrieRouter()] }) })
  const defaultApp = new Hono<InstallerEnv>()
  for (const app of [pathRouterApp, defaultApp]) {
    app.onError(onError)
    install(app)
  }
  return [pathRouterApp, defaultApp]
}

const readAnswer = async (answer: Response | Promise<Response>): Promise<readonly [number, string]> => [
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
        const calls: string[] = []
        const testedApps = createApps((app) => {
          routes.forEach(({ pattern, method: on, ends }, i) =>
            app.on(on.toUpperCase(), pattern, async (_c, next): Promise<Response | void> => {
              calls.push(`in ${i}`)
              if (ends) return new Response(`ends ${i}`)
              await next()
              calls.push(`out ${i}`)
            }),
          )
        })
        const results = []
        for (const app of testedApps) {
          // Requests each path twice, because the second request uses the cached result.
          for (let i = 0; i < 2; i++) {
            calls.length = 0
            results.push({ answer: await readAnswer(app.request(path, { method })), met: [...calls] })
          }
        }
        expect(results[0]).toEqual(results[2])
        expect(results[1]).toEqual(results[2])
      },
    ),
  )
})

test("middleware sees the response to a handler's error, and its own errors are answered too", async () => {
  const statuses: number[] = []
  const [pathRouterApp, defaultApp] = createApps((app) => {
    app.use('*', async (c, next) => {
      if (c.req.path === '/early') throw new Error('early')
      await next()
      statuses.push(c.res.status)
    })
    app.get('/late', () => {
      throw new Error('late')
    })
  })
  for (const app of [pathRouterApp, defaultApp]) {
    expect(await readAnswer(app.request('/late'))).toEqual([500, 'error: late'])
    expect(await readAnswer(app.request('/early'))).toEqual([500, 'error: early'])
  }
  expect(statuses).toEqual([500, 500])
})

test('another router serves patterns that the path router does not support', async () => {
  const [pathRouterApp] = createApps((app) => app.get('/things/:name', (c) => c.text(c.req.param('name'))))
  expect(await readAnswer(pathRouterApp.request('/things/one'))).toEqual([200, 'one'])
})
