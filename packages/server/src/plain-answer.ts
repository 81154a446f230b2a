import { sendBytes } from '@keelson/exchange'
import type { Exchange } from '@keelson/exchange'

export interface PlainAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** Sends a response in another format than the API's encodings, such as plain text. */
export function sendPlain(exchange: Exchange, { status, type, body }: PlainAnswer): void {
  sendBytes(exchange, status, { 'content-type': type, 'x-content-type-options': 'nosniff' }, body)
}

/** Returns a plain text error response. It has no Status object. */
export function createPlainError(status: number, text: string): PlainAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` }
}

/** Returns a response with indented JSON, the format of kube-apiserver's `/version` and `/`. */
export function createRawJson(value: unknown): PlainAnswer {
  return { status: 200, type: 'application/json', body: JSON.stringify(value, null, 2) }
}
