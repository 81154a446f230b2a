import { readFileSync } from 'node:fs'
import path from 'node:path'
import { sharedDirectory } from '../repository-root.ts'

export interface GoldenStep {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly expect: { readonly code: number; readonly body?: unknown }
}

export interface GoldenCase {
  readonly id: string
  readonly setup?: boolean
  readonly needs?: readonly string[]
  readonly steps: readonly GoldenStep[]
}

const files = ['objects.jsonl', 'scenarios.jsonl'] as const

/** Reads the recorded cases in the given files. A file is an absolute path or a name in the folder of recordings. */
export function readCases(chosen: readonly string[] = files): readonly GoldenCase[] {
  return chosen.flatMap((file) =>
    readFileSync(path.resolve(sharedDirectory, 'golden', file), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as GoldenCase),
  )
}
