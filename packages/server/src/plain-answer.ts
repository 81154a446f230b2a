import { sendBytes } from '@keelson/http-installer'
import type { InstallerContext } from '@keelson/http-installer'

export interface PlainAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** An answer outside the API's own formats. */
export function sendPlain(c: InstallerContext, { status, type, body }: PlainAnswer): Response {
  return sendBytes(c, status, { 'content-type': type, 'x-content-type-options': 'nosniff' }, body)
}

/** An error that has no Status: the text and a line end. */
export function plainError(status: number, text: string): PlainAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` }
}

/** Indented, as the original writes what is for people too. */
export function rawJson(value: unknown): PlainAnswer {
  return { status: 200, type: 'application/json', body: JSON.stringify(value, null, 2) }
}
