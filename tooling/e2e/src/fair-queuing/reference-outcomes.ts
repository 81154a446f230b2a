import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { buildGoDirectory } from '../real-parts/build-go-directory.ts'
import type { Scenario, ScenarioOutcome } from './scenario.ts'

/** Builds the Go program that runs scenarios with kube-apiserver's queue set. Returns its path, or undefined without Go. */
export function buildReference(): Promise<string | undefined> {
  return buildGoDirectory({
    subject: "the program on kube-apiserver's queue set",
    name: 'fair-queuing-outcomes',
    url: new URL('.', import.meta.url),
  })
}

/** Runs scenarios with kube-apiserver's queue set. Yields one outcome for each. */
export async function* runInReference(program: string, scenarios: readonly Scenario[]): AsyncIterable<ScenarioOutcome> {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(scenarios.map((scenario) => JSON.stringify(scenario) + '\n').join(''))
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as ScenarioOutcome
}
