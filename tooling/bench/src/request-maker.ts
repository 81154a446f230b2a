import type { RequestTemplate } from './load-job.ts'

/** A request with its numbers filled in. */
export type MadeRequest = Omit<RequestTemplate, 'firstNumber' | 'step' | 'modulo' | 'digits'>

/** A request with its relative frequency. */
export interface RequestKind {
  readonly request: RequestTemplate
  readonly times: number
}

/** Creates a function that returns the next request on each call. For a template without numbers it always returns the same object. */
export function createRequestMaker(template: RequestTemplate): () => MadeRequest {
  const { firstNumber = 0, step = 1, modulo, digits = 0, ...request } = template
  if (!/\{[ni]\}/.test(`${request.path}${request.body ?? ''}`)) return () => request
  let next = firstNumber
  let made = 0
  return () => {
    const n = next
    next += step
    const text = String(modulo === undefined ? n : n % modulo).padStart(digits, '0')
    const body = request.body?.replaceAll('{n}', text).replaceAll('{i}', String(made++))
    return { ...request, path: request.path.replaceAll('{n}', text), ...(body !== undefined && { body }) }
  }
}

/** Alternates between several kinds according to their frequencies. */
export function createMixedMaker(kinds: readonly RequestKind[]): () => MadeRequest {
  const makers = kinds.map(({ request }) => createRequestMaker(request))
  if (makers.length === 1) return makers[0]!
  const all = kinds.reduce((sum, { times }) => sum + times, 0)
  const due = kinds.map(() => 0)
  return () => {
    // Picks the kind that is furthest behind, which spreads kinds evenly.
    kinds.forEach(({ times }, i) => (due[i]! += times / all))
    const next = due.indexOf(Math.max(...due))
    due[next]! -= 1
    return makers[next]!()
  }
}
