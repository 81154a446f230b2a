import type { GoldenCase } from './read-cases.ts'

/** What a case is about, for the score: the kind that it creates, or the scenario's name. */
export function kindOfCase(golden: GoldenCase): string {
  if (golden.id.startsWith('scenario/')) return golden.id
  const body = golden.steps[0]?.body
  const kind = typeof body === 'object' && body !== null ? (body as { kind?: unknown }).kind : undefined
  if (typeof kind === 'string' && kind !== '') return kind
  const parts = golden.id.split('/')
  return (parts[1] === 'hand' ? parts[2] : parts[1]) ?? golden.id
}
