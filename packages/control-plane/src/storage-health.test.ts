import { openMemory } from '@keelson/backend-embedded'
import { expect, test } from 'vitest'
import { createServerChain } from './create-server-chain.ts'

test('a server over a store that is closed says so at once', { timeout: 5000 }, async () => {
  const store = openMemory()
  await store[Symbol.asyncDispose]()
  const chain = await createServerChain({ storage: { type: 'memory' }, drivers: { memory: async () => store }, controllers: ['none'] })
  try {
    await expect(chain.start()).rejects.toThrow('the store is closed')
  } finally {
    await chain.close()
  }
})
