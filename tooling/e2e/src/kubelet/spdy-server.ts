import { constants, inflateSync } from 'node:zlib'
import type { Duplex } from 'node:stream'
import {
  encodeSpdyControl,
  encodeSpdyDataHead,
  spdyDictionary,
  spdyFrame,
  SpdyFrameReader,
  SpdyHeaderWriter,
} from '@keelson/apimachinery/httpstream'

export interface SpdyStream {
  readonly headers: Readonly<Record<string, string>>
  onData: (piece: Buffer) => void
  onEnd: () => void
  /** Writes a chunk to the stream. Returns false if the receiver is too slow. */
  write(piece: Buffer): boolean
  end(): void
}

/** Accepts the streams of a SPDY/3.1 connection. */
export function serveSpdy(socket: Duplex, head: Buffer, onStream: (stream: SpdyStream) => void): void {
  new SpdyServer(socket, onStream).start(head)
}

class SpdyServer {
  readonly socket: Duplex
  readonly #reader: SpdyFrameReader
  readonly #streams = new Map<number, SpdyStream>()
  readonly #writer = new SpdyHeaderWriter()
  #compressed = Buffer.alloc(0)
  #plainLength = 0

  constructor(socket: Duplex, onStream: (stream: SpdyStream) => void) {
    this.socket = socket
    this.#reader = new SpdyFrameReader({
      onData: (id, piece, fin) => {
        const stream = this.#streams.get(id)
        if (piece.length > 0) stream?.onData(piece)
        if (fin) stream?.onEnd()
      },
      onControl: (type, _flags, payload) => {
        if (type === spdyFrame.ping) this.#send(encodeSpdyControl(spdyFrame.ping, 0, payload))
        if (type === spdyFrame.rstStream) this.#streams.get(payload.readUInt32BE(0))?.onEnd()
        if (type !== spdyFrame.synStream) return
        const id = payload.readUInt32BE(0)
        const stream = this.#stream(id, this.#headers(payload.subarray(10)))
        const idBytes = Buffer.alloc(4)
        idBytes.writeUInt32BE(id)
        this.#send(encodeSpdyControl(spdyFrame.synReply, 0, Buffer.concat([idBytes, this.#writer.encode({})])))
        onStream(stream)
      },
    })
  }

  start(head: Buffer): void {
    const { socket } = this
    socket.on('error', () => socket.destroy())
    if (head.length > 0) this.#reader.push(head)
    socket.on('data', (chunk: Buffer) => this.#reader.push(chunk))
  }

  #stream(id: number, headers: Record<string, string>): SpdyStream {
    const stream: SpdyStream = {
      headers,
      onData: () => {},
      onEnd: () => {},
      write: (piece) => this.#send(Buffer.concat([encodeSpdyDataHead(id, piece.length, false), piece])),
      end: () => void this.#send(encodeSpdyDataHead(id, 0, true)),
    }
    this.#streams.set(id, stream)
    return stream
  }

  /**
   * Decodes a block of headers. All headers of a connection share one zlib stream. Decompresses the stream from its start each time,
   * because there are few headers.
   */
  #headers(block: Buffer): Record<string, string> {
    this.#compressed = Buffer.concat([this.#compressed, block])
    const headerBytes = inflateSync(this.#compressed, { dictionary: spdyDictionary, finishFlush: constants.Z_SYNC_FLUSH })
    let at = this.#plainLength
    this.#plainLength = headerBytes.length
    const readText = (): string => {
      const length = headerBytes.readUInt32BE(at)
      at += 4 + length
      return headerBytes.toString('utf8', at - length, at)
    }
    const count = headerBytes.readUInt32BE(at)
    at += 4
    return Object.fromEntries(Array.from({ length: count }, () => [readText(), readText()]))
  }

  #send(bytes: Buffer): boolean {
    return this.socket.writable ? this.socket.write(bytes) : true
  }
}
