import type { Socket } from 'node:net'
import { LinkedList } from './linked-list.ts'

const lookMs = 50
/** More than the largest headers and the part of a body that is buffered before a handler reads it. */
const maxBytes = 2 << 20

/**
 * Closes HTTP/2 connections that send many bytes before their client is authenticated. Frames other than requests (window updates, settings, pings) cost
 * time and Node does not report them, so only their bytes can be limited.
 */
export class StrangerTraffic {
  readonly #sockets = new LinkedList<Socket>()
  #timer: NodeJS.Timeout | undefined

  /** Watches a connection until it ends or the returned function is called. */
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
