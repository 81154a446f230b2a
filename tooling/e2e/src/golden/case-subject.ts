import type { GoldenCase } from './read-cases.ts'

/** Subject of a case in the score: the kind that it creates, or the name of the scenario. */
export function getCaseSubject(golden: GoldenCase): string {
  if (golden.id.startsWith('scenario/')) return golden.id
  const body = golden.steps[0]?.body
  const kind = typeof body === 'object' && body !== null ? (body as { kind?: unknown }).kind : undefined
  if (typeof kind === 'string' && kind !== '') return kind
  const parts = golden.id.split('/')
  return (parts[1] === 'hand' ? parts[2] : parts[1]) ?? golden.id
}
