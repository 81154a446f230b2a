import { EventEmitter } from 'node:events'
import type { Exchange } from '@keelson/exchange'
import { expect, test } from 'vitest'
import { goAway } from './goaway.ts'

/** Creates an HTTP/2 request with only the members that the filter uses. */
function createHttp2Request(): { readonly exchange: Exchange; readonly finish: () => void; readonly goaways: number[] } {
  const goaways: number[] = []
  const session = { closed: false, destroyed: false, goaway: (code: number) => goaways.push(code), close: () => {} }
  const stream = Object.assign(new EventEmitter(), { session })
  const exchange = { incoming: { httpVersionMajor: 2, stream } } as unknown as Exchange
  return { exchange, finish: () => stream.emit('close'), goaways }
}

test.each([
  [0, []],
  [1, [0]],
])('with probability %d, asks the client to reconnect after the response: %j', async (chance, expected) => {
  const { exchange, finish, goaways } = createHttp2Request()
  await goAway(chance)?.(exchange)
  expect(goaways).toEqual([])
  finish()
  finish()
  expect(goaways).toEqual(expected)
})
