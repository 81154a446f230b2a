import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { ClientStream } from './client-stream.ts'

/** Opens a stream whose response has begun. Returns the number of calls of `onClose` too. */
function openStream(hasBody = false): { readonly stream: ClientStream; readonly countCloses: () => number } {
  let closes = 0
  const owner = { sendWindow: 1000, isWritable: true, write: () => {}, waitToSend: () => {}, forget: () => {} }
  const settings = { id: 1, method: 'POST', hasBody, sendWindow: 1000, receiveWindow: 256 * 1024 }
  const stream = new ClientStream(owner, settings, { onAnswer: () => {}, onFailure: () => {}, onClose: () => closes++ })
  stream.receiveHeaders({ list: [':status', '200'] }, false)
  return { stream, countCloses: () => closes }
}

const bytes = Buffer.from(Array.from({ length: 20_000 }, (_byte, i) => 97 + (i % 26)))
const sendChunks = (stream: ClientStream, isLast: boolean, size = 1): void => {
  for (let i = 0; i < bytes.length; i += size) {
    const chunk = bytes.subarray(i, i + size)
    stream.receiveData(chunk, chunk.length, isLast && i + size >= bytes.length)
  }
}

it('joins small parts of a body that was not used yet', async () => {
  const { stream } = openStream()
  sendChunks(stream, false)
  sendChunks(stream, false, 1500)
  sendChunks(stream, true, 700)
  const chunks = (await stream.body.toArray()) as Buffer[]
  expect(chunks.length).toBeLessThan(100)
  expect(Buffer.concat(chunks).toString()).toBe(bytes.toString().repeat(3))
  const { stream: whole } = openStream()
  sendChunks(whole, true)
  expect(whole.takeWhole()).toEqual(bytes)
})

it('joins small parts of a body whose reader has paused', async () => {
  const { stream } = openStream()
  const chunks: Buffer[] = []
  const { body } = stream
  body.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise((resolve) => setImmediate(resolve))
  sendChunks(stream, false)
  body.pause()
  const before = Buffer.concat(chunks.splice(0)).length
  sendChunks(stream, false)
  sendChunks(stream, false)
  sendChunks(stream, true)
  body.resume()
  await new Promise((resolve) => body.once('end', resolve))
  expect(chunks.length).toBeLessThan(200)
  expect(Buffer.concat(chunks).toString()).toBe(bytes.toString().repeat(4).slice(before))
})

it('passes small parts to a reader that waits for them', async () => {
  const { stream } = openStream()
  const reading = text(stream.body)
  for (const isLast of [false, false, false, false, false, true]) {
    sendChunks(stream, isLast, 100)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await reading).toBe(bytes.toString().repeat(6))
  const { stream: sized } = openStream()
  const { body } = sized
  const found = new Promise((resolve) => {
    body.on('readable', () => {
      const chunk = body.read(150_000) as Buffer | null
      if (chunk !== null) resolve(chunk.length)
    })
  })
  for (let i = 0; i < 8; i++) sendChunks(sized, false, 100)
  expect(await found).toBe(150_000)
})

it('reports the close when the server stops an upload after the response was read', async () => {
  const { stream, countCloses } = openStream(true)
  stream.receiveData(bytes, bytes.length, true)
  expect(await text(stream.body)).toBe(bytes.toString())
  expect([stream.isComplete, countCloses()]).toEqual([true, 0])
  stream.receiveReset(0)
  expect(countCloses()).toBe(1)
})
