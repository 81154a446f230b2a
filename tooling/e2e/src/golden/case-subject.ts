import type { GoldenCase } from './read-cases.ts'

/** Returns the subject under which the score lists a case: the kind that the case creates, or the name of its scenario. */
export function getCaseSubject(golden: GoldenCase): string {
  if (golden.id.startsWith('scenario/')) return golden.id
  const body = golden.steps[0]?.body
  const kind = typeof body === 'object' && body !== null ? (body as { kind?: unknown }).kind : undefined
  if (typeof kind === 'string' && kind !== '') return kind
  const parts = golden.id.split('/')
  return (parts[1] === 'hand' ? parts[2] : parts[1]) ?? golden.id
}
