import { createAnonymousAuthenticator, createAuthenticatorUnion } from '@keelson/auth'
import type { AuthorizerAttributes } from '@keelson/auth'
import { sendBytes } from '@keelson/exchange'
import { installAPIGroup } from '@keelson/http-installer'
import { createApiTypes } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import { Scheme } from '@keelson/apimachinery'
import { describeRESTStorage } from '@keelson/registry'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMemoryCertificateStore } from './certificates/certificate-store.ts'
import { openOwnCertificates } from './certificates/own-certificates.ts'
import { createServer } from './create-server.ts'
import type { Server, ServerOptions } from './create-server.ts'

const authorized: string[] = []
const calls: string[] = []
let isDenied: (attributes: AuthorizerAttributes) => boolean = () => false
let options: ServerOptions
let server: Server

beforeAll(async () => {
  const { serving } = await openOwnCertificates({ store: createMemoryCertificateStore() })
  options = {
    tls: serving,
    authenticator: createAuthenticatorUnion([], { anonymous: createAnonymousAuthenticator() }),
    authorizer: {
      authorize: (attributes) => {
        const { verb, resource, subresource, name } = attributes.action
        authorized.push(`${verb} ${resource}/${subresource} ${name}`)
        return { decision: isDenied(attributes) ? 'deny' : 'allow', reason: '' }
      },
    },
  }
  server = createServer({
    ...options,
    filters: [
      {
        name: 'journal',
        after: 'authentication',
        filter: (exchange) => {
          calls.push(`journal of ${exchange.user.name} begins`)
          exchange.onEnd(({ outgoing }) => calls.push(`journal ends with ${outgoing.statusCode}`))
        },
      },
      {
        name: 'maintenance',
        before: 'journal',
        filter: async (exchange) => {
          await new Promise((resolve) => setImmediate(resolve))
          if (!exchange.query.has('maintenance')) return
          sendBytes(exchange, 503, {}, 'maintenance')
          return 'answered'
        },
      },
    ],
  })
  const gvk = { group: '', version: 'v1', kind: 'Node' }
  const scheme = new Scheme()
  scheme.register({ gvk, hub: gvk })
  const nodes = {
    ...describeRESTStorage(gvk, { namespaced: false }),
    get: (_: unknown, name: string) => Promise.resolve({ metadata: { name } }),
  }
  installAPIGroup(server.app, {
    group: '',
    versions: [{ group: '', version: 'v1' }],
    storage: new Map([['v1', new Map([['nodes', nodes]])]]),
    scheme,
    types: createApiTypes([coreV1]),
    admission: { handles: () => false, admit: async () => {}, validate: async () => {} },
  })
})
beforeEach(() => {
  authorized.length = calls.length = 0
  isDenied = () => false
})
afterAll(() => server.close(0))

test('runs a filter of an embedder at its position, and reports the end of the request', async () => {
  expect((await server.fetch('/api/v1/nodes/a')).status).toBe(200)
  // Polls, because the client receives the response before the handler returns.
  await expect.poll(() => calls).toEqual(['journal of system:anonymous begins', 'journal ends with 200'])
})

test('lets a filter wait and answer', async () => {
  const answer = await server.fetch('/api/v1/nodes/a?maintenance')
  expect([answer.status, await answer.text(), calls, authorized]).toEqual([503, 'maintenance', [], []])
})

test('createServer rejects a wrong position', () => {
  const filters = [{ name: 'a', before: 'nothing', filter: () => {} }]
  expect(() => createServer({ ...options, filters })).toThrow('filter a: there is no filter nothing; known: audit-id, audit-init,')
})

test.each([
  ['GET', '/api/v1/nodes/a', 200, 'get nodes/ a'],
  ['PUT', '/api/v1/nodes/a', 405, 'update nodes/ a'],
  ['GET', '/api/v1/nodes/a/none', 404, 'get nodes/none a'],
  ['GET', '/api/v1/things', 404, 'list things/ '],
  ['GET', '/api/v1/namespaces/n/nodes/a', 404, 'get nodes/ a'],
  ['GET', '/api/v1/namespaces/n/nodes', 404, 'list nodes/ '],
  ['GET', '/api/v1/proxy/nodes/a', 404, 'proxy nodes/ a'],
  ['GET', '/apis/none/v1/things/x', 404, 'get things/ x'],
  ['GET', '/api/v1/nodes//', 404, 'list nodes/ '],
  ['GET', '/api/v1/nodes/a//', 200, 'get nodes/ a'],
])('%s %s is answered %d after "%s" was authorized', async (method, path, status, attributes) => {
  expect((await server.fetch(path, { method })).status).toBe(status)
  expect(authorized).toEqual([attributes])
  isDenied = () => true
  expect((await server.fetch(path, { method })).status).toBe(403)
})
