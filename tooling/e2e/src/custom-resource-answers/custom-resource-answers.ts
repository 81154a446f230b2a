import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { buildGoDirectory } from '../real-parts/build-go-directory.ts'

/** Builds the Go program that answers questions with kube-apiserver's library. Returns its path, or undefined without Go. */
export function buildReference(): Promise<string | undefined> {
  const url = new URL('.', import.meta.url)
  return buildGoDirectory({ subject: "the program on kube-apiserver's custom resources", name: 'custom-resource-answers', url })
}

/** Asks the program questions about rules or schemas, each a line of JSON. Yields one line per answer. */
export function askReference(program: string, topic: 'rules' | 'schemas', questions: readonly string[]): AsyncIterable<string> {
  const child = spawn(program, [topic], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(questions.map((question) => question + '\n').join(''))
  return createInterface({ input: child.stdout })
}
