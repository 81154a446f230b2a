import { writeFileSync } from 'node:fs'
import type { Case } from '../cases/case.ts'
import { namespaceSteps } from '../play/run-namespace.ts'
import type { Played } from '../play/play-case.ts'

export interface SavedCase {
  readonly smallest: Case
  readonly played: Played
  /** Of the run that played it. */
  readonly namespace: string
}

/** The namespace in which the golden player plays. */
const goldenNamespace = 'golden'

/** As lines of the golden format: the steps as they were sent, and as `expect` what the original answered. The first line makes the namespace. */
export function goldenLines(cases: readonly SavedCase[]): string[] {
  const setup = { id: 'setup', setup: true, steps: namespaceSteps(goldenNamespace) }
  const lines = cases.map(({ smallest: { id }, played: { sent, answers }, namespace }) => {
    const steps = sent.map((step, at) => ({ ...step, expect: answers[at] }))
    return JSON.stringify({ id: `compare/${id}`, steps }).replaceAll(namespace, goldenNamespace)
  })
  return [JSON.stringify(setup), ...lines]
}

export function saveCases(file: string, cases: readonly SavedCase[]): void {
  writeFileSync(file, `${goldenLines(cases).join('\n')}\n`)
}
