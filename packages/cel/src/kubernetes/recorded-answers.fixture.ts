import { readFileSync } from 'node:fs'

/** An expression, and what kube-apiserver 1.36.4's own compiler says of it. */
export interface RecordedAnswer {
  readonly text: string
  readonly problem?: string
}

export interface AdmissionAnswer extends RecordedAnswer {
  /** Of `params`, `authorizer` and `patch`, those that it may speak of, with a plus between them. */
  readonly scope: string
  /** The policy's variables before it: names and expressions. */
  readonly variables?: readonly (readonly [name: string, expression: string])[]
  readonly type?: string
}

export interface SelectorAnswer extends RecordedAnswer {
  /** The most that it may cost. */
  readonly cost?: string
}

export const admissionAnswers: readonly AdmissionAnswer[] = read('admission')
export const selectorAnswers: readonly SelectorAnswer[] = read('device-selectors')

function read<Answer>(name: string): Answer[] {
  const lines = readFileSync(new URL(`../../testdata/${name}.jsonl`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map((line) => JSON.parse(line) as Answer)
}
