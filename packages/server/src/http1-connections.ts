import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LinkedList } from './linked-list.ts'

/**
 * The connections that HTTP/1.1 has, and what is being answered on them. Node ends a connection as idle once its answer has been handed over, though
 * not all of it may be written: to a client that reads slowly that is half an answer.
 */
export class Http1Connections {
  readonly #answers = new Map<Socket, LinkedList<ServerResponse>>()
  /** Those whose first request is still to come, or on its way. */
  readonly #fresh = new Set<Socket>()
  #ending = false

  add(socket: Socket): void {
    this.#answers.set(socket, new LinkedList())
    this.#fresh.add(socket)
    socket.once('close', () => this.remove(socket))
  }

  /** Not HTTP's any more. */
  remove(socket: Socket): void {
    this.#answers.delete(socket)
    this.#fresh.delete(socket)
  }

  answering(socket: Socket, outgoing: ServerResponse): void {
    const answers = this.#answers.get(socket)
    if (answers === undefined) return
    this.#fresh.delete(socket)
    const node = answers.add(outgoing)
    if (this.#ending) outgoing.shouldKeepAlive = false
    outgoing.on('close', () => {
      answers.remove(node)
      if (this.#ending && answers.first === undefined) socket.destroySoon()
    })
  }

  /** True while an answer is not written to its end. */
  get busy(): boolean {
    for (const answers of this.#answers.values()) if (answers.first !== undefined) return true
    return false
  }

  /**
   * Closes idle connections now, and the others after their current response, whose head announces it if it is not sent yet. Connections without a
   * request so far stay open for one.
   */
  end(): void {
    this.#ending = true
    for (const [socket, answers] of this.#answers) {
      if (answers.first === undefined && !this.#fresh.has(socket)) socket.destroySoon()
      for (const outgoing of answers) if (!outgoing.headersSent) outgoing.shouldKeepAlive = false
    }
  }
}
