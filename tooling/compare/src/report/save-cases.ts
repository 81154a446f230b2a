import { writeFileSync } from 'node:fs'
import type { Case } from '../cases/case.ts'
import { createNamespaceSteps } from '../play/run-namespace.ts'
import type { Played } from '../play/play-case.ts'

export interface SavedCase {
  readonly smallestCase: Case
  readonly playedCase: Played
  /** Namespace of the run that played the case. */
  readonly namespace: string
}

/** Namespace that the golden player uses. */
const goldenNamespace = 'golden'

/** Formats cases as lines of a golden file: the requests, and kube-apiserver's responses as `expect`. The first line creates the namespace. */
export function formatGoldenLines(cases: readonly SavedCase[]): string[] {
  const setup = { id: 'setup', setup: true, steps: createNamespaceSteps(goldenNamespace) }
  const lines = cases.map(({ smallestCase: { id }, playedCase: { sent, answers }, namespace }) => {
    const steps = sent.map((step, at) => ({ ...step, expect: answers[at] }))
    return JSON.stringify({ id: `compare/${id}`, steps }).replaceAll(namespace, goldenNamespace)
  })
  return [JSON.stringify(setup), ...lines]
}

export function saveCases(file: string, cases: readonly SavedCase[]): void {
  writeFileSync(file, `${formatGoldenLines(cases).join('\n')}\n`)
}
