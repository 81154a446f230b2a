import type { Duplex } from 'node:stream'
import {
  encodeSpdyControl,
  encodeSpdyDataHead,
  spdyFrame,
  SpdyFrameReader,
  SpdyHeaderWriter,
  encodeSpdySynStream,
} from '@keelson/apimachinery/httpstream'
import { keepOpen } from './splice-sockets.ts'

export interface SpdyListener {
  onData(stream: number, piece: Buffer, fin: boolean): void
  /** Called when the other side accepts no more data on this stream. */
  onReset(stream: number): void
  /** Called once, when the connection has ended. */
  onEnd(): void
}

/**
 * The client side of a SPDY/3.1 connection, which opens streams. Like other SPDY clients of kubelets, it has no flow control for single
 * streams.
 */
export class SpdyClient {
  readonly socket: Duplex
  readonly #headers = new SpdyHeaderWriter()
  #next = 1
  #ended = false

  constructor(socket: Duplex, head: Buffer, listener: SpdyListener) {
    this.socket = socket
    keepOpen(socket)
    const reader = new SpdyFrameReader({
      onData: (...data) => listener.onData(...data),
      onControl: (type, _flags, payload) => {
        if (type === spdyFrame.rstStream && payload.length >= 8) listener.onReset(payload.readUInt32BE(0))
        // Answers pings of the other side, which have even numbers. Odd ones are responses to this side's pings.
        else if (type === spdyFrame.ping && payload.length === 4 && payload[3]! % 2 === 0)
          this.#write(encodeSpdyControl(spdyFrame.ping, 0, payload))
      },
    })
    const end = (): void => {
      if (this.#ended) return
      this.#ended = true
      listener.onEnd()
    }
    const onData = (chunk: Buffer): void => {
      try {
        reader.push(chunk)
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        socket.destroy()
      }
    }
    socket.once('end', end)
    socket.once('close', end)
    socket.on('data', onData)
    if (head.length > 0) queueMicrotask(() => onData(head))
  }

  open(headers: Readonly<Record<string, string>>): number {
    const stream = this.#next
    this.#next += 2
    this.#write(encodeSpdySynStream(stream, this.#headers.encode(headers)))
    return stream
  }

  /** Sends data on a stream. Returns false if the buffer is full. */
  send(stream: number, piece: Buffer): boolean {
    if (piece.length === 0) return true
    this.socket.cork()
    this.#write(encodeSpdyDataHead(stream, piece.length, false))
    this.#write(piece)
    this.socket.uncork()
    return !this.socket.writableNeedDrain
  }

  /** Closes this side of a stream. */
  finish(stream: number): void {
    this.#write(encodeSpdyDataHead(stream, 0, true))
  }

  #write(bytes: Buffer): void {
    if (this.socket.writable) this.socket.write(bytes)
  }
}
