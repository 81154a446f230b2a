import { createServer } from '@keelson/server'
import { openMemory } from '@keelson/backend-embedded'
import { expect, test } from 'vitest'
import { createServerChain } from '../create-server-chain.ts'
import type { ServerChainOptions } from './server-chain-options.ts'

test.each<[object, string[]]>([
  [{ storag: {} }, ['unknown option "storag"; did you mean "storage"?']],
  [{ serving: { port: 'abc' } }, ['serving.port: expected an integer from 0 to 65535, not "abc"']],
  [{ storage: { type: 'memroy' } }, ['storage.type: unknown storage type "memroy"; did you mean "memory"?']],
  [{ storage: { type: 'tape' } }, ['storage.type: unknown storage type "tape"; allowed: memory, embedded, etcd3']],
  [
    { storage: { type: 'embedded', dataDri: '/x' }, log: 'loud' },
    ['unknown option "storage.dataDri"; did you mean "storage.dataDir"?', 'log: expected a function, not "loud"'],
  ],
  [{ admission: { plugins: { Mine: {} } } }, ['admission.plugins["Mine"]: expected a function, not an object']],
  [{ serving: { certificate: { certificate: 'x' } } }, ['serving.certificate.key is missing']],
  [{ storage: { backend: {} } }, ['storage.backend: expected an object with get() and list() and watch(), not an object']],
])('rejects options of a wrong type or name: %j', async (options, problems) => {
  await expect(createServerChain(options as ServerChainOptions)).rejects.toMatchObject({ name: 'ConfigurationError', problems })
})

test('accepts the type of a custom driver', async () => {
  await using chain = await createServerChain({
    storage: { type: 'mine', drivers: { mine: async () => openMemory() } },
    controllers: ['none'],
  })
  await chain.start()
  expect((await chain.fetch('/readyz')).status).toBe(200)
})

test('createServer checks its options', () => {
  const invalidOptions = { authentcator: {}, requestTimeoutMs: '1s' } as unknown as Parameters<typeof createServer>[0]
  expect(() => createServer(invalidOptions)).toThrow(
    'unknown option "authentcator"; did you mean "authenticator"?; requestTimeoutMs: expected a number no less than 0, not "1s"; ' +
      'authenticator is missing; authorizer is missing; tls is missing',
  )
})
