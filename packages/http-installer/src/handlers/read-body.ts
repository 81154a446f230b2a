import type { IncomingMessage } from 'node:http'
import { newRequestEntityTooLarge, nextTurn, sharedNextTurn } from '@keelson/apimachinery'
import { ClientGoneError } from '@keelson/exchange'
import type { Exchange } from '@keelson/exchange'
import { parseInAdvance } from '@keelson/registry'
import type { SentBody } from '@keelson/registry'

/** Reads the whole body. Throws 413 beyond `limit` bytes without reading on. Requests whose bodies are complete in the same turn continue together (`sharedNextTurn`). */
export async function readBody(exchange: Exchange, limit: number): Promise<Uint8Array> {
  const announced = Number(exchange.header('content-length') ?? 0)
  if (announced > limit) throw tooLarge(limit)
  const body = await readIncoming(exchange, limit)
  await (body.length > largeBytes ? turnOfLarge() : sharedNextTurn())
  return body
}

/** A request's body for the registry to decode. A promise if it is a long YAML text, which is parsed in advance. */
export function sentBody(exchange: Exchange, { form, bytes }: Pick<SentBody, 'form' | 'bytes'>): SentBody | Promise<SentBody> {
  return parseInAdvance({ form, bytes, cbor: exchange.services.cbor }, exchange)
}

/** A larger body counts against the budget, and gets a turn of the event loop to itself. */
const largeBytes = 64 * 1024

let lastLarge: Promise<void> = Promise.resolve()

/** One large body per turn: processing it takes long, and many together would delay all other requests. */
function turnOfLarge(): Promise<void> {
  lastLarge = lastLarge.then(nextTurn)
  return lastLarge
}

/** Uses events, because the async iterator costs several promises per chunk and destroys the request on an early exit. */
function readIncoming(exchange: Exchange, limit: number): Promise<Uint8Array> {
  const incoming = exchange.incoming as IncomingMessage
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
      const held = (exchange.heldBody ??= exchange.services.bodyBudget?.hold(exchange.user.name))
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

function tooLarge(limit: number): Error {
  return newRequestEntityTooLarge(`limit is ${limit}`)
}
