import type { Socket } from 'node:net'
import { LinkedList } from '@keelson/apimachinery'
import type { ListNode } from '@keelson/apimachinery'

/**
 * Share of the connection limit that unauthenticated clients from one address may use. If an address exceeds it, a new connection closes
 * the oldest one from that address.
 */
const addressShare = 1 / 10

interface UnauthenticatedConnection {
  readonly key: string
  readonly socket: Socket
  readonly address: AddressConnections
  /** List nodes of the connection: one in the list of all unauthenticated connections, one in the list of its address. */
  node: ListNode<UnauthenticatedConnection> | undefined
  addressNode: ListNode<UnauthenticatedConnection> | undefined
}

interface AddressConnections {
  readonly name: string
  readonly connections: LinkedList<UnauthenticatedConnection>
  count: number
}

/**
 * Limits the number of open connections. At the limit, each new connection closes an unauthenticated one, so that idle connections cannot
 * lock out other clients. The oldest connection is closed; if an address exceeds its share, the oldest connection from that address is
 * closed instead.
 */
export class ConnectionLimit {
  readonly #max: number
  readonly #share: number
  readonly #unauthenticated = new LinkedList<UnauthenticatedConnection>()
  readonly #byKey = new Map<string, UnauthenticatedConnection>()
  readonly #addresses = new Map<string, AddressConnections>()
  readonly #open = new Set<Socket>()
  /** Connections that the limit has destroyed but whose `close` event has not been emitted yet. */
  readonly #closing = new Set<Socket>()

  constructor(max: number) {
    this.#max = max
    this.#share = Math.ceil(max * addressShare)
  }

  get open(): ReadonlySet<Socket> {
    return this.#open
  }

  /** Adds a new connection. Closes another connection if the limit is exceeded. */
  add(socket: Socket): void {
    const connection = this.#enter(socket)
    this.#open.add(socket)
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#closing.delete(socket)
      this.#leave(connection)
    })
    if (this.#open.size - this.#closing.size > this.#max) this.#makeRoom(connection)
  }

  /**
   * Marks a connection as authenticated, so that the limit does not close it. `socket` may be the TLS socket, because Node does not expose
   * the TCP socket below it.
   */
  identified(socket: Socket): void {
    const connection = this.#byKey.get(formatKey(socket))
    if (connection !== undefined) this.#leave(connection)
  }

  #makeRoom(newcomer: UnauthenticatedConnection): void {
    const { connections, count } = newcomer.address
    // The new connection is the last entry of both lists, so it is closed only if the lists have no other entry.
    const oldest = (count > this.#share ? connections.first : this.#unauthenticated.first)!.value
    this.#leave(oldest)
    this.#closing.add(oldest.socket)
    oldest.socket.destroy()
  }

  #enter(socket: Socket): UnauthenticatedConnection {
    const name = socket.remoteAddress ?? ''
    let address = this.#addresses.get(name)
    if (address === undefined) this.#addresses.set(name, (address = { name, connections: new LinkedList(), count: 0 }))
    const connection: UnauthenticatedConnection = { key: formatKey(socket), socket, address, node: undefined, addressNode: undefined }
    this.#byKey.set(connection.key, connection)
    connection.node = this.#unauthenticated.add(connection)
    connection.addressNode = address.connections.add(connection)
    address.count++
    return connection
  }

  #leave(connection: UnauthenticatedConnection): void {
    const { node, addressNode, address } = connection
    if (node === undefined || addressNode === undefined) return
    connection.node = connection.addressNode = undefined
    this.#byKey.delete(connection.key)
    this.#unauthenticated.remove(node)
    address.connections.remove(addressNode)
    if (--address.count === 0) this.#addresses.delete(address.name)
  }
}

function formatKey({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}

const checkIntervalMs = 50
/** Limit in bytes: more than the largest request headers plus the part of a body that is buffered before a handler reads it. */
const maxBytes = 2 << 20

/**
 * Closes HTTP/2 connections that send many bytes before their client is authenticated. Clients can waste time with frames that Node does
 * not report, such as window updates, settings and pings. Only their bytes can be counted.
 */
export class UnauthenticatedTrafficLimit {
  readonly #sockets = new LinkedList<Socket>()
  #timer: NodeJS.Timeout | undefined

  /** Counts the bytes of a connection until it closes or the returned function is called. */
  add(socket: Socket): () => void {
    const node = this.#sockets.add(socket)
    const remove = (): void => this.#sockets.remove(node)
    socket.once('close', remove)
    this.#timer ??= setInterval(() => this.#closeFlooding(), checkIntervalMs).unref()
    return remove
  }

  #closeFlooding(): void {
    if (this.#sockets.first === undefined) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    const flooding = [...this.#sockets].filter(({ bytesRead }) => bytesRead > maxBytes)
    for (const socket of flooding) socket.destroy()
  }
}
