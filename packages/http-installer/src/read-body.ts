import type { IncomingMessage } from 'node:http'
import { newRequestEntityTooLarge, nextTurn, sharedNextTurn } from '@keelson/apimachinery'
import type { InstallerContext } from './context.ts'

/** The whole body; throws 413 beyond `limit` bytes without reading on. What comes whole in the same turn goes on together (`sharedNextTurn`). */
export async function readBody(c: InstallerContext, limit: number): Promise<Uint8Array> {
  const announced = Number(c.req.header('content-length') ?? 0)
  if (announced > limit) throw tooLarge(limit)
  const incoming = c.env?.incoming as IncomingMessage | undefined
  if (incoming === undefined) {
    const bytes = new Uint8Array(await c.req.arrayBuffer())
    if (bytes.byteLength > limit) throw tooLarge(limit)
    return bytes
  }
  const body = await readIncoming(c, incoming, limit)
  await (body.length > largeBytes ? turnOfLarge() : sharedNextTurn())
  return body
}

/** Beyond this a body counts against the budget, and takes a turn of the event loop for itself. */
const largeBytes = 64 * 1024

let lastLarge: Promise<void> = Promise.resolve()

/** One large body in each turn: what is done with it takes long, and many together would keep all others waiting. */
function turnOfLarge(): Promise<void> {
  lastLarge = lastLarge.then(nextTurn)
  return lastLarge
}

/** By events: the async iterator costs several promises per chunk, and destroys the request when left early. */
function readIncoming(c: InstallerContext, incoming: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (length > limit) return fail(tooLarge(limit))
      chunks.push(chunk)
      if (length > largeBytes) hold(chunk.length)
    }
    const hold = (bytes: number): void => {
      const user = c.get('requestContext')?.user.name ?? ''
      const held = (c.env.heldBody ??= c.env.bodyBudget?.hold(user))
      const wait = held?.add(bytes)
      if (wait === undefined) return
      incoming.pause()
      void wait.then(() => incoming.resume())
    }
    const onEnd = (): void => {
      release()
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length))
    }
    const fail = (error: unknown): void => {
      release()
      incoming.pause()
      reject(error)
    }
    const onClose = (): void => fail(new ClientGoneError())
    const release = (): void => {
      incoming.off('data', onData).off('end', onEnd).off('error', fail).off('close', onClose)
    }
    if (incoming.readableEnded) return resolve(new Uint8Array())
    incoming.on('data', onData).on('end', onEnd).on('error', fail).on('close', onClose)
    incoming.resume()
  })
}

/** The client left before its request was whole: no answer will be read. */
export class ClientGoneError extends Error {
  constructor() {
    super('the client closed the connection')
    this.name = 'ClientGoneError'
  }
}

function tooLarge(limit: number): Error {
  return newRequestEntityTooLarge(`limit is ${limit}`)
}
