import { readFileSync } from 'node:fs'

/** An expression with the recorded result of kube-apiserver 1.36.4's compiler. */
export interface RecordedAnswer {
  readonly text: string
  readonly problem?: string
}

export interface AdmissionAnswer extends RecordedAnswer {
  /** The available variables: `params`, `authorizer` and `patch`, joined by plus signs. */
  readonly scope: string
  /** Names and expressions of the policy's earlier variables. */
  readonly variables?: readonly (readonly [name: string, expression: string])[]
  readonly type?: string
}

export interface SelectorAnswer extends RecordedAnswer {
  /** The recorded maximum of the cost estimate. */
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
