import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '@keelson/apimachinery'

/** A webhook that keeps the audit events of several servers. */
export interface Recorder extends AsyncDisposable {
  /** URL for the events of the server with this name. */
  url(name: string): string
  /** Events of a server in the order of their arrival. */
  events(name: string): readonly JsonObject[]
  /** Resolves when a server has sent no event for two seconds. */
  quiet(name: string): Promise<void>
}

export async function startRecorder(): Promise<Recorder> {
  const received = new Map<string, JsonObject[]>()
  const findEvents = (name: string): JsonObject[] => {
    const events = received.get(name) ?? []
    received.set(name, events)
    return events
  }
  const record = async (request: IncomingMessage): Promise<void> => {
    const text = Buffer.concat(await request.toArray()).toString()
    const name = new URL(request.url ?? '/', 'http://recorder').pathname.slice(1)
    const { items } = JSON.parse(text) as { readonly items: readonly JsonObject[] }
    findEvents(name).push(...items)
  }
  const server = createServer((request, response) => void record(request).then(() => response.end()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    events: findEvents,
    async quiet(name) {
      for (let count = -1; count !== findEvents(name).length;) {
        count = findEvents(name).length
        await new Promise((resolve) => setTimeout(resolve, 2000))
      }
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  }
}
