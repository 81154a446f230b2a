import { request } from 'node:https'
import { HastyDisk, HeldDisk, openDurable } from '@keelson/backend-embedded/testing'
import { describe, expect, test } from 'vitest'
import { createServerChain } from './create-server-chain.ts'

/**
 * Creates 24 ConfigMaps concurrently while the disk completes one flush at a time. Returns the number of responses and the revisions whose
 * 201 was sent before they were on disk.
 */
async function countEarlyAnswers(disk: HeldDisk): Promise<{ answered: number; early: readonly number[] }> {
  await using chain = await createServerChain({
    storage: { drivers: { memory: async () => openDurable(disk, {}) } },
    controllers: ['none'],
  })
  await chain.listen()
  let isServing = true
  const flushing = (async () => {
    while (isServing) {
      // Waits long enough that a response would be sent before the flush if it did not wait for it.
      await new Promise((resolve) => setTimeout(resolve, 5))
      if (disk.pending > 0) await disk.release()
    }
  })()
  await chain.ready
  const early: number[] = []
  let answerCount = 0
  const create = (name: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const clientRequest = request(
        `${chain.url}/api/v1/namespaces/default/configmaps`,
        {
          method: 'POST',
          ca: chain.certificateAuthority,
          headers: { authorization: `Bearer ${chain.adminToken}`, 'content-type': 'application/json', accept: 'application/json' },
        },
        (answer) => {
          const durable = disk.durable
          let text = ''
          answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
          answer.on('error', reject)
          answer.on('end', () => {
            expect(answer.statusCode).toBe(201)
            answerCount += 1
            const { metadata } = JSON.parse(text) as { metadata: { resourceVersion: string } }
            if (Number(metadata.resourceVersion) > durable) early.push(Number(metadata.resourceVersion))
            resolve()
          })
        },
      )
      clientRequest.on('error', reject)
      clientRequest.end(JSON.stringify({ metadata: { name } }))
    })
  await Promise.all(Array.from({ length: 24 }, (_, i) => create(`early-${i}`)))
  await chain.close()
  isServing = false
  await flushing
  return { answered: answerCount, early }
}

describe('the response 201', () => {
  test('sends the response 201 only after its revision is on disk', async () => {
    expect(await countEarlyAnswers(new HeldDisk())).toEqual({ answered: 24, early: [] })
  })

  test('the test above fails for a store that resolves before its revision is on disk', async () => {
    expect((await countEarlyAnswers(new HastyDisk())).early.length).toBeGreaterThan(0)
  })
})
