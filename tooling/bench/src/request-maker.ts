import type { RequestTemplate } from './load-job.ts'

/** A request whose placeholders are replaced by numbers. */
export type MadeRequest = Omit<RequestTemplate, 'firstNumber' | 'step' | 'modulo' | 'digits'>

/** A function that makes requests, with the relative frequency of these requests. */
export interface RequestKind {
  readonly request: RequestTemplate
  readonly times: number
}

/**
 * Creates a function that returns the next request of a template on each call. If the template has no placeholders, it always returns the
 * same object.
 */
export function createRequestMaker(template: RequestTemplate): () => MadeRequest {
  const { firstNumber = 0, step = 1, modulo, digits = 0, ...request } = template
  if (!/\{[ni]\}/.test(`${request.path}${request.body ?? ''}`)) return () => request
  let next = firstNumber
  let requestNumber = 0
  return () => {
    const n = next
    next += step
    const text = String(modulo === undefined ? n : n % modulo).padStart(digits, '0')
    const body = request.body?.replaceAll('{n}', text).replaceAll('{i}', String(requestNumber++))
    return { ...request, path: request.path.replaceAll('{n}', text), ...(body !== undefined && { body }) }
  }
}

/** Creates a function that returns requests of several kinds, according to their frequencies. */
export function createMixedMaker(kinds: readonly RequestKind[]): () => MadeRequest {
  const makers = kinds.map(({ request }) => createRequestMaker(request))
  if (makers.length === 1) return makers[0]!
  const totalTimes = kinds.reduce((sum, { times }) => sum + times, 0)
  const due = kinds.map(() => 0)
  return () => {
    // Picks the kind that is furthest behind its frequency, so that the kinds alternate evenly.
    kinds.forEach(({ times }, i) => (due[i]! += times / totalTimes))
    const next = due.indexOf(Math.max(...due))
    due[next]! -= 1
    return makers[next]!()
  }
}
