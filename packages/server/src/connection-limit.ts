import type { Socket } from 'node:net'
import { LinkedList } from './linked-list.ts'
import type { ListNode } from './linked-list.ts'

/** The share of all connections that unauthenticated clients at one address may have. Beyond it, a new connection closes the oldest one from that address. */
const shareOfAddress = 1 / 10

interface Stranger {
  readonly key: string
  readonly socket: Socket
  readonly address: StrangersOfAddress
  /** The nodes in the list of all unauthenticated connections and in the list of the address. */
  node: ListNode<Stranger> | undefined
  nodeOfAddress: ListNode<Stranger> | undefined
}

interface StrangersOfAddress {
  readonly name: string
  readonly strangers: LinkedList<Stranger>
  count: number
}

/**
 * Limits the connections of a server. At the limit, each new connection closes one without an authenticated client, so that thousands of idle connections
 * cannot lock out other clients. It closes the oldest one; for an address that exceeds its share, the oldest one from that address.
 */
export class ConnectionLimit {
  readonly #max: number
  readonly #share: number
  readonly #strangers = new LinkedList<Stranger>()
  readonly #byKey = new Map<string, Stranger>()
  readonly #addresses = new Map<string, StrangersOfAddress>()
  readonly #open = new Set<Socket>()
  /** Connections that the limit has destroyed and whose `close` event is still to come. */
  readonly #closing = new Set<Socket>()

  constructor(max: number) {
    this.#max = max
    this.#share = Math.ceil(max * shareOfAddress)
  }

  get open(): ReadonlySet<Socket> {
    return this.#open
  }

  /** Counts a new connection. Closes one if the limit is exceeded. */
  add(socket: Socket): void {
    const stranger = this.#enter(socket)
    this.#open.add(socket)
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#closing.delete(socket)
      this.#leave(stranger)
    })
    if (this.#open.size - this.#closing.size > this.#max) this.#makeRoom(stranger)
  }

  /** Call this when the client of a connection is authenticated. `socket` may be the TLS socket, because Node does not expose the TCP socket below it. */
  identified(socket: Socket): void {
    const stranger = this.#byKey.get(keyOf(socket))
    if (stranger !== undefined) this.#leave(stranger)
  }

  #makeRoom(newcomer: Stranger): void {
    const { strangers, count } = newcomer.address
    // The new connection is the last entry of both lists, so it is closed only if there is no other.
    const victim = (count > this.#share ? strangers.first : this.#strangers.first)!.value
    this.#leave(victim)
    this.#closing.add(victim.socket)
    victim.socket.destroy()
  }

  #enter(socket: Socket): Stranger {
    const name = socket.remoteAddress ?? ''
    let address = this.#addresses.get(name)
    if (address === undefined) this.#addresses.set(name, (address = { name, strangers: new LinkedList(), count: 0 }))
    const stranger: Stranger = { key: keyOf(socket), socket, address, node: undefined, nodeOfAddress: undefined }
    this.#byKey.set(stranger.key, stranger)
    stranger.node = this.#strangers.add(stranger)
    stranger.nodeOfAddress = address.strangers.add(stranger)
    address.count++
    return stranger
  }

  #leave(stranger: Stranger): void {
    const { node, nodeOfAddress, address } = stranger
    if (node === undefined || nodeOfAddress === undefined) return
    stranger.node = stranger.nodeOfAddress = undefined
    this.#byKey.delete(stranger.key)
    this.#strangers.remove(node)
    address.strangers.remove(nodeOfAddress)
    if (--address.count === 0) this.#addresses.delete(address.name)
  }
}

function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}

const lookMs = 50
/** More than the largest headers plus the part of a body that is buffered before a handler reads it. */
const maxBytes = 2 << 20

/**
 * Closes HTTP/2 connections that send many bytes before their client is authenticated. Frames other than requests (window updates, settings, pings) take time
 * and Node does not report them, so only their bytes can be limited.
 */
export class StrangerTraffic {
  readonly #sockets = new LinkedList<Socket>()
  #timer: NodeJS.Timeout | undefined

  /** Watches a connection until it closes or the returned function is called. */
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
