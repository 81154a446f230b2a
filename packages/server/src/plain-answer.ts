import { sendBytes } from '@keelson/exchange'
import type { Exchange } from '@keelson/exchange'

export interface PlainAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** Sends a response that has none of the API's encodings. */
export function sendPlain(exchange: Exchange, { status, type, body }: PlainAnswer): void {
  sendBytes(exchange, status, { 'content-type': type, 'x-content-type-options': 'nosniff' }, body)
}

/** Returns an error as plain text, without a Status. */
export function plainError(status: number, text: string): PlainAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` }
}

/** Returns a value as indented JSON, the format of kube-apiserver's `/version` and `/`. */
export function rawJson(value: unknown): PlainAnswer {
  return { status: 200, type: 'application/json', body: JSON.stringify(value, null, 2) }
}
