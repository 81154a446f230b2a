/** gRPC status codes that this package reports for its own errors. */
export const grpcCode = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  permissionDenied: 7,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const

export interface GrpcStatus {
  readonly code: number
  readonly details: string
}

type Headers = Readonly<Record<string, unknown>>

/** Returns the gRPC status in the trailers of a response, or in its headers if it has no body. Returns undefined if there is none. */
export function readStatus(headers: Headers): GrpcStatus | undefined {
  const written = headers['grpc-status']
  if (written === undefined) return undefined
  const code = Number(written)
  const message = headers['grpc-message']
  const details = typeof message === 'string' ? decodePercent(message) : ''
  return Number.isInteger(code) ? { code, details } : { code: grpcCode.unknown, details }
}

const ofHttp: Readonly<Record<number, number>> = {
  400: grpcCode.internal,
  401: grpcCode.unauthenticated,
  403: grpcCode.permissionDenied,
  404: grpcCode.unimplemented,
  429: grpcCode.unavailable,
  502: grpcCode.unavailable,
  503: grpcCode.unavailable,
  504: grpcCode.unavailable,
}

/** Returns the gRPC status for an HTTP response that does not contain one. Such a response comes from a proxy. */
export function mapHttpStatus(status: number): GrpcStatus {
  return { code: ofHttp[status] ?? grpcCode.unknown, details: `Received HTTP status code ${status}` }
}

const refusedStream = 7
const cancel = 8

/** Returns the gRPC status for a stream that the server reset before the end of its response. */
export function mapResetCode(reset: number): GrpcStatus {
  if (reset === refusedStream) return { code: grpcCode.unavailable, details: 'Stream refused by server' }
  if (reset === cancel) return { code: grpcCode.cancelled, details: 'Call cancelled' }
  return { code: grpcCode.internal, details: `Received RST_STREAM with code ${reset}` }
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function newGrpcError({ code, details }: GrpcStatus): Error {
  return Object.assign(new Error(details), { code, details })
}
