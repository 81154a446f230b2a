import type { CallSpan, Span, SpanAttributes } from '@keelson/apimachinery'

/** Starts the span of a gRPC call, with the attributes of OpenTelemetry's semantic conventions for gRPC clients. */
export function startGrpcCall(request: Span, path: string, authority: string): CallSpan {
  const name = path.slice(1)
  const describe = (): SpanAttributes => {
    const { hostname, port } = new URL(`grpc://${authority}`)
    return {
      'rpc.method': name,
      'rpc.system.name': 'grpc',
      'server.address': hostname.replace(/^\[|\]$/g, ''),
      ...(port !== '' && { 'server.port': Number(port) }),
    }
  }
  return request.startCall({ name, protocol: 'grpc', attributes: describe })
}

/** Adds the event of a message. A call has one message in each direction. */
export function addMessageEvent(call: CallSpan, type: 'SENT' | 'RECEIVED', size: number): void {
  call.addEvent('message', {
    'rpc.message.type': type,
    'rpc.message.id': 1,
    'rpc.message.compressed_size': size,
    'rpc.message.uncompressed_size': size,
  })
}

/** Names of gRPC's status codes, in the order of their numbers. */
const codes = (
  'OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ' +
  'ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED'
).split(' ')

/** Returns a callback that ends the span of a call before it calls `done`. */
export function recordEnd<T>(call: CallSpan, done: (error: Error | undefined, answer: T | undefined) => void): typeof done {
  return (error, answer) => {
    const { code = 0, message } = (error ?? {}) as { readonly code?: number; readonly message?: string }
    call.setAttributes({ 'rpc.response.status_code': codes[code] ?? String(code) })
    call.end(message)
    done(error, answer)
  }
}
