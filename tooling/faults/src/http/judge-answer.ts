export interface ReceivedAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** Checks the response to a hostile request. Returns a description of the problem, or undefined if the response is valid. */
export function judgeAnswer({ status, type, body }: ReceivedAnswer, method: string): string | undefined {
  // kube-apiserver also returns 500 for some invalid requests. Such responses have a content type or a known message.
  if (status === 500 && !type.startsWith('application/') && !body.includes('failed to create RequestInfo'))
    return `answered ${status}: ${body.slice(0, 300)}`
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
