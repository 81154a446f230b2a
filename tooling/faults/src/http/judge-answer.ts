export interface ReceivedAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** What is wrong with an answer to a hostile request; undefined when it is as it should be. */
export function judgeAnswer({ status, type, body }: ReceivedAnswer, method: string): string | undefined {
  // Some of what is wrong is 500 from the original too, but then it says what.
  if (status === 500 && !type.startsWith('application/') && !body.includes('failed to create RequestInfo'))
    return `answered ${status}: ${body.slice(0, 300)}`
  if (status < 400 || method === 'HEAD' || !type.startsWith('application/json')) return undefined
  let parsed: { readonly kind?: unknown; readonly status?: unknown; readonly code?: unknown }
  try {
    parsed = JSON.parse(body) as typeof parsed
  } catch {
    return `${status} with a body that is no JSON: ${body.slice(0, 300)}`
  }
  if (parsed.kind !== 'Status' || parsed.status !== 'Failure' || parsed.code !== status)
    return `${status} with a body that is no such Status: ${body.slice(0, 300)}`
  return undefined
}
