import type { Socket } from 'node:net'
import { LinkedList } from './linked-list.ts'

const lookMs = 50
/** More than the largest headers, and what of a body is taken before anybody reads it. */
const maxBytes = 2 << 20

/**
 * Closes connections of HTTP/2 that send much before their client has been authenticated. Frames that are no requests (window updates, settings, pings) cost the server
 * time and are not shown to it, so their bytes are what can be limited.
 */
export class StrangerTraffic {
  readonly #sockets = new LinkedList<Socket>()
  #timer: NodeJS.Timeout | undefined

  /** Until the result is called, or the connection ends. */
  add(socket: Socket): () => void {
    const node = this.#sockets.add(socket)
    const remove = (): void => this.#sockets.remove(node)
    socket.once('close', remove)
    this.#timer ??= setInterval(() => this.#look(), lookMs).unref()
    return remove
  }

  #look(): void {
    if (this.#sockets.first === undefined) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    const flooding = [...this.#sockets].filter(({ bytesRead }) => bytesRead > maxBytes)
    for (const socket of flooding) socket.destroy()
  }
}
