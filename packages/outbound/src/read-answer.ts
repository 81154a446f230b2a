import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { OutboundError, toConnectionError } from './failure.ts'
import type { StreamedAnswer } from './open-stream.ts'

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/**
 * Reads a complete response. Rejects with an `OutboundError` if it is larger than `maxBytes` or ends too early, and with the signal's reason if
 * that ended it.
 */
export async function readAnswer(
  answer: StreamedAnswer,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<RawAnswer> {
  try {
    const body = answer.takeWhole?.() ?? (await collect(answer.body, maxBytes))
    if (body.length > maxBytes) throw createTooLargeError(maxBytes)
    if (!answer.isComplete) throw new OutboundError('closed', 'unexpected EOF')
    return { status: answer.status, headers: answer.headers, body }
  } catch (error) {
    throw signal.aborted ? signal.reason : toConnectionError(error)
  } finally {
    answer[Symbol.dispose]()
  }
}

async function collect(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.byteLength
    if (size > maxBytes) throw createTooLargeError(maxBytes)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
}

function createTooLargeError(maxBytes: number): OutboundError {
  return new OutboundError('tooLarge', `the answer is larger than ${maxBytes} bytes`)
}
