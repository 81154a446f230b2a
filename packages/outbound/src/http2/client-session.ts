import type { TLSSocket } from 'node:tls'
import { getErrorMessage } from '@keelson/apimachinery'
import { OutboundError, toConnectionError } from '../failure.ts'
import { ClientStream } from './client-stream.ts'
import type { StreamHandlers, StreamOwner } from './client-stream.ts'
import { createFrame, createNumbersFrame, errorCode, frameFlag, frameHeaderSize, FrameReader, frameType } from './frames.ts'
import { Http2ProtocolError, maxPayload, maxWindow } from './frames.ts'
import type { FrameHead, FrameListener } from './frames.ts'
import { encodeHeaders, HeaderBlockError, HeaderDecoder } from './header-block.ts'

export interface SessionOptions {
  /** Bytes of one response that the server may send before they are read. */
  readonly streamWindow: number
  /** Bytes of all responses that the server may send before they arrive. */
  readonly sessionWindow: number
  /** Maximum number of concurrent streams. The server may allow fewer. */
  readonly maxStreams: number
  /** Called when the first settings of the server have arrived, and when it has changed the number of concurrent streams. */
  readonly onSettings: () => void
  /** Called when the session takes no further streams. Open streams may continue. */
  readonly onClosing: () => void
  /** Called when the connection is closed. */
  readonly onClose: () => void
}

/** The head of a request. */
export interface RequestHead {
  readonly method: string
  readonly hasBody: boolean
  /** Header names and values, alternating, with the pseudo-headers first. */
  readonly headers: readonly string[]
}

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const setting = { enablePush: 2, maxConcurrentStreams: 3, initialWindowSize: 4, maxHeaderListSize: 6 } as const
const initialWindow = 65_535
/** Maximum number of concurrent streams until the server has sent its settings, as in Go. */
const streamsBeforeSettings = 100
/** Maximum size in bytes of the headers of a response. */
const maxHeaderListSize = 64 * 1024
/** Maximum size in bytes of an encoded header block. Larger ones end the connection, because they cannot be skipped. */
const maxHeaderBlock = 256 * 1024
/** Maximum number of received frames without content between two checks. A server that sends more only keeps this one busy. */
const maxEmptyFrames = 10_000
/** Increments of a window below this number of bytes count as frames without content: each could send a frame of as few bytes. */
const smallIncrement = 1024
/** Unsent bytes from which the frames that answer others end the connection: the server sends, but does not read. */
const maxUnsentAnswers = 8 * 1024 * 1024
/** Time in milliseconds that the server has to close the connection after this side has. */
const closeTimeoutMs = 1000
const unfinishedBlock = 'a header block is not continued'
/** Maximum number of bytes that are copied to be written in one piece. */
const maxCopied = 64 * 1024

/**
 * The client's side of an HTTP/2 connection. Node's own creates a duplex stream, a handle of native code and a dozen listeners for each request,
 * which takes more time than forwarding a small response.
 */
export class ClientSession implements StreamOwner, FrameListener {
  sendWindow: number = initialWindow
  readonly #socket: TLSSocket
  readonly #options: SessionOptions
  readonly #reader = new FrameReader(this)
  readonly #decoder = new HeaderDecoder(maxHeaderListSize)
  readonly #streams = new Map<number, ClientStream>()
  readonly #waiting = new Set<ClientStream>()
  readonly #pings: (() => void)[] = []
  #nextStream = 1
  #initialSendWindow = initialWindow
  #maxStreams: number
  #receiveWindow: number
  #emptyFrames = 0
  /** Header block that continues in the next frame. */
  #headers: { readonly head: FrameHead; readonly blocks: Buffer[]; size: number } | undefined
  #output: Uint8Array[] = []
  #outputSize = 0
  #isFlushPlanned = false
  #hasSettings = false
  #isClosing = false
  #isDestroyed = false
  #hasSaidGoodbye = false

  constructor(socket: TLSSocket, options: SessionOptions) {
    this.#socket = socket
    this.#options = options
    this.#maxStreams = Math.min(streamsBeforeSettings, options.maxStreams)
    this.#receiveWindow = options.sessionWindow
    const settings = createFrame({ type: frameType.settings, flags: 0, stream: 0 }, 18)
    const values = [
      [setting.enablePush, 0],
      [setting.initialWindowSize, options.streamWindow],
      [setting.maxHeaderListSize, maxHeaderListSize],
    ] as const
    for (const [i, [name, value]] of values.entries()) {
      settings.writeUInt16BE(name, frameHeaderSize + i * 6)
      settings.writeUInt32BE(value, frameHeaderSize + i * 6 + 2)
    }
    const window = createNumbersFrame({ type: frameType.windowUpdate, flags: 0, stream: 0 }, options.sessionWindow - initialWindow)
    this.write(preface)
    this.write(settings)
    this.write(window)
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('drain', () => this.#planFlush())
    socket.on('error', (error) => this.destroy(toConnectionError(error)))
    socket.on('end', () => this.destroy(new OutboundError('closed', 'unexpected EOF')))
    socket.on('close', () => this.destroy(new OutboundError('closed', 'unexpected EOF')))
  }

  /** Whether the session takes new streams. */
  get isOpen(): boolean {
    return !this.#isClosing
  }

  /** Whether the connection carries no further frames. */
  get hasEnded(): boolean {
    return this.#isDestroyed || this.#hasSaidGoodbye
  }

  /** Whether the settings of the server have arrived. */
  get hasSettings(): boolean {
    return this.#hasSettings
  }

  /** Maximum number of concurrent streams. */
  get maxStreams(): number {
    return this.#maxStreams
  }

  get isWritable(): boolean {
    return !this.#socket.writableNeedDrain && this.#outputSize < maxCopied
  }

  /** Starts a request. Throws if its headers are not valid, or if the session takes no streams. */
  open({ method, hasBody, headers }: RequestHead, handlers: StreamHandlers): ClientStream {
    if (this.#isClosing) throw new OutboundError('refused', 'http2: client connection lost')
    const id = this.#nextStream
    // The first block shrinks the table of this side to nothing, because no entries are added to it.
    const block = (id === 1 ? '\x20' : '') + encodeHeaders(headers)
    this.#nextStream += 2
    const sendWindow = this.#initialSendWindow
    const receiveWindow = this.#options.streamWindow
    const stream = new ClientStream(this, { id, method, hasBody, sendWindow, receiveWindow }, handlers)
    this.#streams.set(id, stream)
    this.#writeHeaders(block, id, hasBody ? 0 : frameFlag.endStream)
    if (this.#nextStream > maxWindow) this.close()
    return stream
  }

  /** Whether the answer to a ping is missing. */
  get isPinging(): boolean {
    return this.#pings.length > 0
  }

  /** Sends a ping, and calls `onAnswer` when it is answered. */
  ping(onAnswer: () => void): void {
    this.#pings.push(onAnswer)
    this.write(createNumbersFrame({ type: frameType.ping, flags: 0, stream: 0 }, 0, 0))
  }

  /** Starts a new interval for the limit of frames without content. */
  allowEmptyFrames(): void {
    this.#emptyFrames = 0
  }

  ref(): void {
    this.#socket.ref()
  }

  unref(): void {
    this.#socket.unref()
  }

  /** Closes the connection when its streams have ended. */
  close(): void {
    this.#stopOpening()
    if (this.#streams.size === 0) this.#end(errorCode.none)
  }

  /** Closes the connection. Its streams fail. */
  destroy(error: OutboundError = new OutboundError('closed', 'http2: client connection lost')): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.#stopOpening()
    for (const stream of this.#streams.values()) stream.fail(error)
    this.#waiting.clear()
    // A GOAWAY that was written still arrives.
    if (this.#hasSaidGoodbye) this.#socket.destroySoon()
    else this.#socket.destroy()
    this.#options.onClose()
  }

  write(frame: Uint8Array, payload?: Uint8Array): void {
    if (this.#isDestroyed) return
    this.#planFlush()
    this.#output.push(frame)
    this.#outputSize += frame.length
    if (payload === undefined) return
    this.#output.push(payload)
    this.#outputSize += payload.length
  }

  /** Writes the frames of this turn of the event loop together, and parts of waiting bodies. */
  flush(): void {
    this.#isFlushPlanned = false
    if (this.isWritable) this.#sendBodies()
    const output = this.#output
    const size = this.#outputSize
    this.#output = []
    this.#outputSize = 0
    if (this.#isDestroyed || output.length === 0) return
    if (size <= maxCopied) this.#socket.write(output.length === 1 ? output[0]! : Buffer.concat(output, size))
    else {
      this.#socket.cork()
      for (const buffer of output) this.#socket.write(buffer)
      this.#socket.uncork()
    }
    // A full output has kept streams from sending.
    if (size >= maxCopied && this.#waiting.size > 0 && this.isWritable) this.#planFlush()
  }

  waitToSend(stream: ClientStream): void {
    this.#waiting.add(stream)
  }

  forget(stream: ClientStream): void {
    this.#streams.delete(stream.id)
    this.#waiting.delete(stream)
    if (this.#isClosing && this.#streams.size === 0 && !this.#isDestroyed) this.#end(errorCode.none)
  }

  onData(id: number, chunk: Buffer, flowSize: number, isLast: boolean): void {
    this.#checkStream(id)
    if (this.#headers !== undefined) throw new Http2ProtocolError(errorCode.protocol, unfinishedBlock)
    if (chunk.length > 0) this.#emptyFrames = 0
    else this.#countEmpty()
    this.#receiveWindow -= flowSize
    if (this.#receiveWindow < 0) throw new Http2ProtocolError(errorCode.flowControl, 'more bytes than the window of the connection')
    const { sessionWindow } = this.#options
    if (this.#receiveWindow < sessionWindow / 2) {
      this.write(createNumbersFrame({ type: frameType.windowUpdate, flags: 0, stream: 0 }, sessionWindow - this.#receiveWindow))
      this.#receiveWindow = sessionWindow
    }
    this.#streams.get(id)?.receiveData(chunk, flowSize, isLast)
  }

  onFrame(head: FrameHead, payload: Buffer): void {
    if (this.#headers !== undefined && (head.type !== frameType.continuation || head.stream !== this.#headers.head.stream))
      throw new Http2ProtocolError(errorCode.protocol, unfinishedBlock)
    switch (head.type) {
      case frameType.headers:
        this.#checkStream(head.stream)
        // Headers of a stream that has ended are decoded for the table alone.
        if (!this.#streams.has(head.stream)) this.#countEmpty()
        this.#headers = { head, blocks: [], size: 0 }
        return this.#receiveHeaders(head, payload)
      case frameType.continuation:
        if (this.#headers === undefined) throw new Http2ProtocolError(errorCode.protocol, 'nothing to continue')
        this.#countEmpty()
        return this.#receiveHeaders(head, payload)
      case frameType.settings:
        return this.#receiveSettings(head, payload)
      case frameType.ping:
        return this.#receivePing(head, payload)
      case frameType.goAway:
        return this.#receiveGoAway(head, payload)
      case frameType.windowUpdate:
        return this.#receiveWindowUpdate(head.stream, readNumber(payload, 4) & maxWindow)
      case frameType.resetStream:
        this.#checkStream(head.stream)
        this.#countEmpty()
        return this.#streams.get(head.stream)?.receiveReset(readNumber(payload, 4))
      case frameType.pushPromise:
        throw new Http2ProtocolError(errorCode.protocol, 'a pushed response')
      default:
        // Unknown frames are ignored.
        return this.#countEmpty()
    }
  }

  #writeHeaders(block: string, id: number, flags: number): void {
    for (let at = 0; at === 0 || at < block.length; at += maxPayload) {
      const size = Math.min(maxPayload, block.length - at)
      const type = at === 0 ? frameType.headers : frameType.continuation
      const end = at + size === block.length ? frameFlag.endHeaders : 0
      const frame = createFrame({ type, flags: (at === 0 ? flags : 0) | end, stream: id }, size)
      frame.write(size === block.length ? block : block.slice(at, at + size), frameHeaderSize, 'latin1')
      this.write(frame)
    }
  }

  #receive(chunk: Buffer): void {
    if (this.#isDestroyed) return
    try {
      this.#reader.read(chunk)
    } catch (error) {
      this.#end(
        error instanceof HeaderBlockError ? errorCode.compression : error instanceof Http2ProtocolError ? error.code : errorCode.internal,
      )
      this.destroy(new OutboundError('protocol', `http2: connection error: ${getErrorMessage(error)}`, { cause: error }))
    }
  }

  #receiveHeaders({ flags, stream: id }: FrameHead, payload: Buffer): void {
    const { head, blocks } = this.#headers!
    this.#headers!.size += payload.length
    if (this.#headers!.size > maxHeaderBlock) throw new Http2ProtocolError(errorCode.enhanceYourCalm, 'a header block is too large')
    if ((flags & frameFlag.endHeaders) === 0) return void blocks.push(Buffer.from(payload))
    this.#headers = undefined
    const headers = this.#decoder.decode(blocks.length === 0 ? payload : Buffer.concat([...blocks, payload]))
    this.#streams.get(id)?.receiveHeaders(headers, (head.flags & frameFlag.endStream) !== 0)
  }

  #receiveSettings({ flags, stream }: FrameHead, payload: Buffer): void {
    if (stream !== 0) throw new Http2ProtocolError(errorCode.protocol, 'settings of a stream')
    this.#countEmpty()
    if ((flags & frameFlag.acknowledge) !== 0) return
    if (payload.length % 6 !== 0) throw new Http2ProtocolError(errorCode.frameSize, 'broken settings')
    const { maxStreams } = this
    const isFirst = !this.#hasSettings
    if (isFirst) this.#maxStreams = this.#options.maxStreams
    this.#hasSettings = true
    for (let at = 0; at < payload.length; at += 6) {
      const value = payload.readUInt32BE(at + 2)
      const name = payload.readUInt16BE(at)
      if (name === setting.maxConcurrentStreams) this.#maxStreams = Math.min(value, this.#options.maxStreams)
      else if (name === setting.initialWindowSize) {
        if (value > maxWindow) throw new Http2ProtocolError(errorCode.flowControl, 'a window is too large')
        for (const each of this.#streams.values()) each.sendWindow += value - this.#initialSendWindow
        this.#initialSendWindow = value
      }
    }
    this.#answer(createFrame({ type: frameType.settings, flags: frameFlag.acknowledge, stream: 0 }, 0))
    if (isFirst || this.maxStreams !== maxStreams) this.#options.onSettings()
  }

  #receivePing({ flags }: FrameHead, payload: Buffer): void {
    if (payload.length !== 8) throw new Http2ProtocolError(errorCode.frameSize, 'a broken ping')
    this.#countEmpty()
    if ((flags & frameFlag.acknowledge) !== 0) return this.#pings.shift()?.()
    const answer = createFrame({ type: frameType.ping, flags: frameFlag.acknowledge, stream: 0 }, 8)
    answer.set(payload, frameHeaderSize)
    this.#answer(answer)
  }

  #receiveGoAway({ stream }: FrameHead, payload: Buffer): void {
    if (stream !== 0 || payload.length < 8) throw new Http2ProtocolError(errorCode.protocol, 'a broken GOAWAY')
    this.#countEmpty()
    const lastStream = payload.readUInt32BE(0) & maxWindow
    this.#stopOpening()
    // The server promises that it did not process the streams after the last one.
    for (const each of this.#streams.values()) {
      if (each.id > lastStream) each.fail(new OutboundError('refused', 'http2: client connection lost'))
    }
    if (this.#streams.size === 0 && !this.#isDestroyed) this.#end(errorCode.none)
  }

  #receiveWindowUpdate(id: number, bytes: number): void {
    if (bytes < smallIncrement) this.#countEmpty()
    if (id !== 0) {
      this.#checkStream(id)
      this.#streams.get(id)?.receiveWindowUpdate(bytes)
    } else {
      if (bytes === 0) throw new Http2ProtocolError(errorCode.protocol, 'a window that does not grow')
      this.sendWindow += bytes
      if (this.sendWindow > maxWindow) throw new Http2ProtocolError(errorCode.flowControl, 'a window is too large')
    }
    if (this.#waiting.size > 0) this.#planFlush()
  }

  /** Refuses frames of streams that this side has not opened. */
  #checkStream(id: number): void {
    if (id % 2 === 0 || id >= this.#nextStream) throw new Http2ProtocolError(errorCode.protocol, 'a frame of no stream')
  }

  #countEmpty(): void {
    this.#emptyFrames++
    if (this.#emptyFrames > maxEmptyFrames) throw new Http2ProtocolError(errorCode.enhanceYourCalm, 'too many frames without content')
  }

  #answer(frame: Buffer): void {
    if (this.#socket.writableLength + this.#outputSize > maxUnsentAnswers)
      throw new Http2ProtocolError(errorCode.enhanceYourCalm, 'the server does not read')
    this.write(frame)
  }

  #planFlush(): void {
    if (this.#isFlushPlanned || this.#isDestroyed) return
    this.#isFlushPlanned = true
    setImmediate(flush, this)
  }

  #sendBodies(): void {
    if (this.#waiting.size === 0) return
    const streams = [...this.#waiting]
    this.#waiting.clear()
    for (const stream of streams) {
      if (this.isWritable) stream.sendBody()
      else this.#waiting.add(stream)
    }
  }

  #stopOpening(): void {
    if (this.#isClosing) return
    this.#isClosing = true
    this.#options.onClosing()
  }

  /** Says goodbye and closes the connection. */
  #end(code: number): void {
    if (this.#hasSaidGoodbye) return
    this.#hasSaidGoodbye = true
    this.write(createNumbersFrame({ type: frameType.goAway, flags: 0, stream: 0 }, 0, code))
    this.flush()
    this.#socket.end()
    // The server may keep its side open, or not read.
    setTimeout(() => {
      this.destroy()
      this.#socket.destroy()
    }, closeTimeoutMs).unref()
  }
}

function flush(session: ClientSession): void {
  session.flush()
}

function readNumber(payload: Buffer, size: number): number {
  if (payload.length !== size) throw new Http2ProtocolError(errorCode.frameSize, 'a frame of the wrong size')
  return payload.readUInt32BE(0)
}
