export { spdyDictionary } from './spdy-dictionary.ts'
export { spdyControl, spdyDataHead, spdyFin, spdyFrame, SpdyFrameReader, spdySynStream } from './spdy-frames.ts'
export type { SpdyFrameHandler } from './spdy-frames.ts'
export { SpdyHeaderWriter } from './spdy-headers.ts'
export {
  websocketAccept,
  websocketClose,
  WebSocketFrameReader,
  websocketHead,
  websocketMessage,
  websocketOpcode,
  WebSocketProtocolError,
  websocketTokenProtocol,
} from './websocket-frames.ts'
export type { MessageOpcode, WebSocketFrameHandler } from './websocket-frames.ts'
