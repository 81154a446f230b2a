/** The gRPC codes that this package sets itself. */
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

/** Reads the status from trailers, or from the headers of a trailers-only response. Returns undefined if there is none. */
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

/** Status of a response without a gRPC status. Such a response comes from a proxy. */
export function statusOfHttp(status: number): GrpcStatus {
  return { code: ofHttp[status] ?? grpcCode.unknown, details: `Received HTTP status code ${status}` }
}

const refusedStream = 7
const cancel = 8

/** Status of a stream that the server reset before the end of its response. */
export function statusOfReset(reset: number): GrpcStatus {
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

export function grpcError({ code, details }: GrpcStatus): Error {
  return Object.assign(new Error(details), { code, details })
}
