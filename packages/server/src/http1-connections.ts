import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LinkedList } from './linked-list.ts'

/**
 * The HTTP/1.1 connections and their open responses. Node closes a connection as idle once a response is handed over, although not all of it may be
 * written: a client that reads slowly would get half a response.
 */
export class Http1Connections {
  readonly #answers = new Map<Socket, LinkedList<ServerResponse>>()
  /** Connections whose first request has not arrived yet. */
  readonly #fresh = new Set<Socket>()
  #ending = false

  add(socket: Socket): void {
    this.#answers.set(socket, new LinkedList())
    this.#fresh.add(socket)
    socket.once('close', () => this.remove(socket))
  }

  /** Removes a connection that changes the protocol. */
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

  /** Whether a response is not fully written. */
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
