import type { AdmissionPlugin } from '@keelson/admission'
import { afterEach, expect, test, vi } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const user = { name: 'alice', groups: ['system:masters'] }

async function startChain(options: ServerChainOptions): Promise<ServerChain> {
  const chain = await createServerChain({ controllers: ['none'], ...options })
  await chain.start()
  return chain
}

function createIn(chain: ServerChain, namespace: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return chain.fetch(`/api/v1/namespaces/${namespace}/configmaps`, { method: 'POST', headers, body: '{"metadata":{"name":"a"}}', user })
}

function throwFromPlugin(): never {
  throw new TypeError('the plugin has a bug')
}

test('logs an exception of an admission plugin with its stack and hides it from the client', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  const plugin: AdmissionPlugin = {
    name: 'Broken',
    operations: ['CREATE'],
    validate: ({ namespace, resource }) => (namespace === 'default' && resource.resource === 'configmaps' ? throwFromPlugin() : undefined),
  }
  await using chain = await startChain({ admission: { plugins: { Broken: () => plugin } } })
  const answer = await createIn(chain, 'default')
  expect(answer.status).toBe(500)
  expect(await answer.text()).not.toMatch(/bug|Broken/)
  const text = printed.mock.calls.flat().join('\n')
  expect(text).toContain('the admission plugin "Broken" failed: the plugin has a bug')
  expect(text).toMatch(/TypeError: the plugin has a bug\n +at throwFromPlugin/)
})

test('logs an exception of a token authenticator with its stack', async () => {
  const lines: unknown[] = []
  const tokens = [{ authenticateToken: (): never => throwFromPlugin() }]
  await using chain = await startChain({
    authentication: { tokens },
    log: (level, text, fields) => level === 0 && lines.push([text, fields]),
  })
  const answer = await chain.fetch('/version', { headers: { authorization: 'Bearer x' } })
  expect(answer.status).toBe(500)
  expect(await answer.text()).not.toContain('bug')
  expect(lines).toEqual([
    [
      'Internal error',
      expect.objectContaining({ request: 'GET /version', err: expect.stringMatching(/TypeError.*\n +at throwFromPlugin/) as string }),
    ],
  ])
})

test('logs nothing for a regular rejection', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  await using chain = await startChain({})
  expect((await createIn(chain, 'missing')).status).toBe(404)
  expect(printed).not.toHaveBeenCalled()
})
