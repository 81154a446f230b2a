export { spdyDictionary } from './spdy-dictionary.ts'
export { encodeSpdyControl, encodeSpdyDataHead, spdyFin, spdyFrame, SpdyFrameReader, encodeSpdySynStream } from './spdy-frames.ts'
export type { SpdyFrameHandler } from './spdy-frames.ts'
export { SpdyHeaderWriter } from './spdy-headers.ts'
export {
  computeWebSocketAccept,
  encodeWebSocketClose,
  WebSocketFrameReader,
  encodeWebSocketHead,
  encodeWebSocketMessage,
  websocketOpcode,
  WebSocketProtocolError,
  websocketTokenProtocol,
} from './websocket-frames.ts'
export type { MessageOpcode, WebSocketFrameHandler } from './websocket-frames.ts'
