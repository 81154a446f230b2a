import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { HttpsClient } from '@keelson/tooling-e2e/https-client'
import { openWatch } from '@keelson/tooling-e2e/open-watch'
import type { OpenWatch } from '@keelson/tooling-e2e/open-watch'
import { setTimeout as wait } from 'node:timers/promises'
import type { Step } from '../cases/case.ts'
import { isObject } from '../cases/locations.ts'
import { parseAnswer } from './parse-answer.ts'

/** A response in the format of the golden files. Code 0 means that there was no response; the body then contains the error message. */
export interface Answer {
  readonly code: number
  readonly type: string
  readonly warning?: string
  readonly body: JsonValue
}

const timeoutMs = 20_000

/** A client of one of the two compared servers. */
export class Server implements Disposable {
  readonly url: string
  readonly token: string
  readonly #client: HttpsClient
  readonly #watches = new Map<string, OpenWatch>()

  constructor(url: string, token: string) {
    this.url = url.replace(/\/$/, '')
    this.token = token
    this.#client = new HttpsClient(this.url, token)
  }

  async send(step: Step): Promise<Answer> {
    try {
      if (step.method === 'WATCH') return await this.#watch(step)
      if (step.method === 'COLLECT') return await this.#collect(step)
      const { method, path, headers, body } = step
      const signal = AbortSignal.timeout(timeoutMs)
      const answer = await this.#client.request(method, path, {
        signal,
        ...(headers && { headers }),
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const type = readContentType(answer.headers['content-type'])
      const warning = answer.headers['warning']
      return {
        code: answer.status,
        type,
        ...(warning !== undefined && { warning: String(warning) }),
        body: await parseAnswer(type, answer.bytes),
      }
    } catch (error) {
      return { code: 0, type: '', body: (error as Error).message }
    }
  }

  /** Sends a GET and returns the response body. Throws for status codes other than 200. */
  async get(path: string): Promise<JsonValue> {
    const answer = await this.send({ method: 'GET', path })
    if (answer.code !== 200) throw new Error(`${this.url}${path}: ${explain(answer)}`)
    return answer.body
  }

  /** Sends a request without a body and returns the headers of the response. */
  async sendForHeaders(
    method: string,
    path: string,
    headers: Readonly<Record<string, string | string[]>>,
  ): Promise<Readonly<Record<string, string | string[] | undefined>>> {
    return (await this.#client.request(method, path, { headers, signal: AbortSignal.timeout(timeoutMs) })).headers
  }

  async #watch({ path, headers = {}, as = '' }: Step): Promise<Answer> {
    const watch = await openWatch('HTTP/1.1', this, path, headers)
    if (watch.status !== 200) {
      watch.drop()
      return this.send({ method: 'GET', path, headers })
    }
    this.#watches.set(as, watch)
    return { code: watch.status, type: readContentType(watch.type), body: '' }
  }

  async #collect({ from = '', ms = 0 }: Step): Promise<Answer> {
    const watch = this.#watches.get(from)
    if (watch === undefined) return { code: 0, type: '', body: 'no such watch' }
    this.#watches.delete(from)
    // Wait until no more events arrive, because events can be late on a busy machine.
    for (let seen = -1; seen !== watch.listEvents().length;) {
      seen = watch.listEvents().length
      await wait(ms)
    }
    const stream = (watch.listEvents() as unknown as JsonObject[]).filter((event) => !isPeriodic(event))
    watch.drop()
    return { code: 200, type: readContentType(watch.type), body: { stream } }
  }

  /** Closes the watches of a case that no COLLECT step has closed. */
  forgetWatches(): void {
    for (const watch of this.#watches.values()) watch.drop()
    this.#watches.clear()
  }

  [Symbol.dispose](): void {
    this.forgetWatches()
    this.#client[Symbol.dispose]()
  }
}

/** Returns whether an event is a periodic bookmark. Such events are ignored, because servers may send them at any time. */
function isPeriodic({ type, object }: JsonObject): boolean {
  return type === 'BOOKMARK' && !JSON.stringify(object ?? null).includes('"k8s.io/initial-events-end"')
}

/** Formats the code and message of a response for error messages. */
export function explain({ code, body }: Answer): string {
  const message = isObject(body) ? body['message'] : body
  return `${code} ${typeof message === 'string' ? message : ''}`.trimEnd()
}

function readContentType(header: string | readonly string[] | undefined): string {
  return String(header ?? '').split(';')[0]!
}
