import type { Duplex } from 'node:stream'
import { websocketOpcode } from '@keelson/apimachinery/httpstream'
import { newInternal } from '@keelson/apimachinery'
import type { Status } from '@keelson/apimachinery'
import type { ProcessStreams } from '@keelson/registry'
import { parseProcessStatus } from './process-status.ts'
import { ServerWebSocket } from './server-websocket.ts'
import { SpdyClient } from './spdy-client.ts'
import { endSocket } from './splice-sockets.ts'

const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const
const heads = [0, 1, 2, 3, 4].map((number) => Buffer.from([number]))
const maxErrorBytes = 1 << 20
const withoutResize = new Set(['', 'channel.k8s.io', 'v2.channel.k8s.io'])

/** Destination of a client message. The first byte of the message determines it. */
type Destination = { readonly kind: 'stream'; readonly stream: number } | { readonly kind: 'close' | 'ignored' }

/**
 * Translates the streams of a process (exec, attach) between WebSocket channels of the client and SPDY streams of a kubelet. The first byte
 * of each WebSocket message is the number of the channel. Data that the client sends before the kubelet has responded stays in the socket's
 * buffer.
 */
export class ProcessTranslation {
  readonly #client: ServerWebSocket
  readonly #streams: ProcessStreams
  readonly #gone = new AbortController()
  readonly #head: Buffer
  #remote: SpdyClient | undefined
  #protocol = ''
  /** SPDY stream of each channel, for input from the client. */
  readonly #inward = new Map<number, number>()
  /** Channel of each SPDY stream, for output of the process. */
  readonly #outward = new Map<number, number>()
  #errorStream = 0
  #error: Buffer[] = []
  #errorEnded = false
  #destination: Destination | undefined
  #finished = false

  constructor(socket: Duplex, head: Buffer, streams: ProcessStreams) {
    this.#head = head
    this.#streams = streams
    this.#client = new ServerWebSocket(socket, {
      onMessage: (_opcode, piece, { last }) => this.#fromClient(piece, last),
      onEnd: () => {
        this.#gone.abort()
        this.#remote?.socket.destroy()
      },
    })
    // Sends an empty message, which tells the client that the channel is open.
    this.#client.send(websocketOpcode.binary, heads[streams.stdout ? channel.stdout : streams.stderr ? channel.stderr : channel.error]!)
  }

  get socket(): Duplex {
    return this.#client.socket
  }

  /** Signal that aborts when the client has disconnected. */
  get signal(): AbortSignal {
    return this.#gone.signal
  }

  /** Starts the translation with a connection to the kubelet. `protocol` is the subprotocol that the kubelet has selected. */
  join(socket: Duplex, head: Buffer, protocol: string): void {
    const { stdin, stdout, stderr, tty } = this.#streams
    this.#protocol = protocol
    const remote = new SpdyClient(socket, head, {
      onData: (stream, piece, fin) => this.#fromRemote(stream, piece, fin),
      onReset: (stream) => this.#fromRemote(stream, Buffer.alloc(0), true),
      onEnd: () => this.finish(newInternal('error reading from error stream: unexpected EOF').status),
    })
    this.#remote = remote
    this.#errorStream = remote.open({ streamtype: 'error' })
    if (stdin) this.#inward.set(channel.stdin, remote.open({ streamtype: 'stdin' }))
    if (stdout) this.#outward.set(remote.open({ streamtype: 'stdout' }), channel.stdout)
    if (stderr && !tty) this.#outward.set(remote.open({ streamtype: 'stderr' }), channel.stderr)
    if (tty && !withoutResize.has(protocol)) this.#inward.set(channel.resize, remote.open({ streamtype: 'resize' }))
    socket.on('drain', () => this.#client.resume())
    this.#client.onDrain(() => socket.resume())
    this.#client.start(this.#head)
    if (this.signal.aborted) socket.destroy()
  }

  /** Sends the final status of the process to the client. */
  finish(status: Status): void {
    if (this.#finished) return
    this.#finished = true
    this.#client.send(websocketOpcode.binary, heads[channel.error]!, Buffer.from(JSON.stringify(status)))
    this.close(1000)
  }

  close(code: number): void {
    this.#finished = true
    this.#client.close(code)
    if (this.#remote !== undefined) endSocket(this.#remote.socket)
    this.#gone.abort()
  }

  #fromClient(piece: Buffer, last: boolean): void {
    let content = piece
    if (this.#destination === undefined && content.length > 0) {
      this.#destination = this.#findDestination(content[0]!)
      content = content.subarray(1)
    }
    const destination = this.#destination
    if (last) this.#destination = undefined
    if (destination === undefined || content.length === 0) return
    if (destination.kind === 'close') this.#finishInward(content[0]!)
    else if (destination.kind === 'stream' && !this.#remote!.send(destination.stream, content)) this.#client.pause()
  }

  #findDestination(number: number): Destination {
    if (number === channel.close) return { kind: 'close' }
    const stream = this.#inward.get(number)
    return stream === undefined ? { kind: 'ignored' } : { kind: 'stream', stream }
  }

  #finishInward(number: number): void {
    const stream = this.#inward.get(number)
    if (stream === undefined) return
    this.#inward.delete(number)
    this.#remote!.finish(stream)
  }

  #fromRemote(stream: number, piece: Buffer, fin: boolean): void {
    const channelNumber = this.#outward.get(stream)
    if (channelNumber !== undefined && piece.length > 0 && !this.#client.send(websocketOpcode.binary, heads[channelNumber]!, piece))
      this.#remote!.socket.pause()
    if (stream === this.#errorStream && this.#error.reduce((sum, part) => sum + part.length, piece.length) <= maxErrorBytes) {
      this.#error.push(Buffer.from(piece))
    }
    if (!fin) return
    if (channelNumber !== undefined) this.#outward.delete(stream)
    if (stream === this.#errorStream) this.#errorEnded = true
    if (this.#outward.size === 0 && this.#errorEnded) this.finish(parseProcessStatus(this.#protocol, Buffer.concat(this.#error).toString()))
  }
}
