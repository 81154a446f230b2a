import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { exampleVariables } from '@keelson/cel/testing'
import type { Answer } from '@keelson/cel/testing'
import { buildGoDirectory } from '../real-parts/build-go-directory.ts'

/** Builds the Go program that evaluates expressions in kube-apiserver's environment. Returns its path, or undefined without Go. */
export function buildReference(): Promise<string | undefined> {
  return buildGoDirectory({ subject: "the program on kube-apiserver's CEL", name: 'cel-answers', url: new URL('.', import.meta.url) })
}

/** Evaluates CEL expressions in kube-apiserver's environment. Returns one result per expression. */
export async function evaluateInReference(program: string, texts: readonly string[]): Promise<readonly Answer[]> {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(texts.map((each) => JSON.stringify({ text: each, variables: exampleVariables }) + '\n').join(''))
  const lines = await text(child.stdout)
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer)
}
