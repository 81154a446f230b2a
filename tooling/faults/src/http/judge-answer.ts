import type { HostileRequest } from './hostile-request.ts'

export interface ReceivedAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** A path that ends with a verb before the resource, such as `/api/v1/watch`. kube-apiserver answers it with 500. */
const incompletePath = /^\/+(?:api|apis\/+[^/?]+)\/+[^/?]+\/+(?:watch|proxy)\/*(?:\?|$)/

/** Checks the response to a hostile request. Returns a description of the problem, or undefined if the response is valid. */
export function judgeAnswer(
  { status, type, body }: ReceivedAnswer,
  { method, path }: Pick<HostileRequest, 'method' | 'path'>,
): string | undefined {
  // kube-apiserver also returns 500 for some invalid requests. Such responses have a content type or a known message.
  const refused = method === 'HEAD' ? incompletePath.test(path) : body.includes('failed to create RequestInfo')
  if (status === 500 && !type.startsWith('application/') && !refused) return `answered ${status}: ${body.slice(0, 300)}`
  if (status < 400 || method === 'HEAD' || !type.startsWith('application/json')) return undefined
  let parsed: { readonly kind?: unknown; readonly status?: unknown; readonly code?: unknown }
  try {
    parsed = JSON.parse(body) as typeof parsed
  } catch {
    return `${status} with a body that is not JSON: ${body.slice(0, 300)}`
  }
  if (parsed.kind !== 'Status' || parsed.status !== 'Failure' || parsed.code !== status)
    return `${status} with a body that is not a matching Status: ${body.slice(0, 300)}`
  return undefined
}
