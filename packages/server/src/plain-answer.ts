import { sendBytes } from '@keelson/exchange'
import type { Exchange } from '@keelson/exchange'

export interface PlainAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** Sends a response that is not in one of the API's encodings. */
export function sendPlain(exchange: Exchange, { status, type, body }: PlainAnswer): void {
  sendBytes(exchange, status, { 'content-type': type, 'x-content-type-options': 'nosniff' }, body)
}

/** An error as plain text, without a Status. */
export function plainError(status: number, text: string): PlainAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` }
}

/** Indented, like kube-apiserver's documents that people read too. */
export function rawJson(value: unknown): PlainAnswer {
  return { status: 200, type: 'application/json', body: JSON.stringify(value, null, 2) }
}
