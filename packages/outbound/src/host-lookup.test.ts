import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { dialDirectly } from './dial-tls.ts'
import { createHostLookup } from './host-lookup.ts'

interface Started {
  readonly host: string
  answer(address: string): void
  fail(error: Error): void
}

/** Lookups that a test answers. */
function createTestLookup() {
  const started: Started[] = []
  const lookUp = createHostLookup(
    (host) =>
      new Promise((resolve, reject) => {
        started.push({ host, answer: (address) => resolve([{ address, family: 4 }]), fail: reject })
      }),
  )
  const listHosts = (): string[] => started.map(({ host }) => host)
  return { started, lookUp, listHosts }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

it('runs two lookups at once, and one for all callers of a host', async () => {
  const { started, lookUp, listHosts } = createTestLookup()
  const found = ['a', 'b', 'a', 'c'].map((host) => lookUp(host))
  expect(listHosts()).toEqual(['a', 'b'])
  started[0]!.answer('10.0.0.1')
  expect(await found[0]).toEqual([{ address: '10.0.0.1', family: 4 }])
  expect(await found[2]).toEqual(await found[0])
  await settle()
  expect(listHosts()).toEqual(['a', 'b', 'c'])
  started[1]!.fail(new Error('no such host'))
  await expect(found[1]).rejects.toThrow('no such host')
  started[2]!.answer('10.0.0.3')
  await found[3]
})

it('does not start a lookup that its callers have given up', async () => {
  const { started, lookUp, listHosts } = createTestLookup()
  const kept = [lookUp('a'), lookUp('b')]
  const controller = new AbortController()
  const given = [lookUp('c', controller.signal), lookUp('c', controller.signal)]
  controller.abort(new Error('given up'))
  for (const each of given) await expect(each).rejects.toThrow('given up')
  for (const each of started) each.answer('10.0.0.1')
  await Promise.all(kept)
  await settle()
  expect(listHosts()).toEqual(['a', 'b'])
})

it('answers a caller that gives up while the lookup runs, and refuses names beyond its bound', async () => {
  const { lookUp } = createTestLookup()
  const controller = new AbortController()
  const given = lookUp('a', controller.signal)
  controller.abort(new Error('given up'))
  await expect(given).rejects.toThrow('given up')
  for (let i = 0; i < 999; i++) void lookUp(`host-${i}`)
  await expect(lookUp('one-more')).rejects.toThrow('lookup one-more: too many lookups are waiting')
  await expect(lookUp('10.0.0.7')).resolves.toEqual([{ address: '10.0.0.7', family: 4 }])
})

it('opens connections to host names', async () => {
  const server = createServer((socket) => socket.end('hello')).listen(0)
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const socket = await dialDirectly({ host: 'localhost', port }, { network: 'direct', signal: new AbortController().signal })
    expect(String((await once(socket, 'data'))[0])).toBe('hello')
    socket.destroy()
    const aborted = AbortSignal.abort(new Error('given up'))
    await expect(dialDirectly({ host: 'localhost', port }, { network: 'direct', signal: aborted })).rejects.toThrow('given up')
  } finally {
    server.close()
  }
})
