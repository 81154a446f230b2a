import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { buildGoDirectory } from '../real-parts/build-go-directory.ts'

/** A page of metrics as it was scraped. */
export interface ScrapedPage {
  /** Time of the scrape in milliseconds since 1970. */
  readonly at: number
  readonly contentType: string
  readonly text: string
}

/** A recording rule. Without `record`, the result is not stored. */
export interface Rule {
  readonly record?: string
  readonly expr: string
  readonly labels?: Readonly<Record<string, string>>
}

export interface Evaluation {
  readonly labels: Readonly<Record<string, string>>
  readonly pages: readonly ScrapedPage[]
  readonly rules: readonly Rule[]
  readonly queries: readonly string[]
}

export interface ExpressionResult {
  readonly expression: string
  /** Number of series with a value. */
  readonly series: number
  readonly error?: string
}

/** Path of the program on Prometheus' packages. Undefined without Go. */
export const prometheusProgram: string | undefined = await buildGoDirectory({
  subject: "the program on Prometheus' packages",
  name: 'prometheus',
  url: new URL('prometheus/', import.meta.url),
})

/** Stores pages in Prometheus' database and evaluates the rules after each page, and the queries at the end. */
export async function evaluate(job: Evaluation): Promise<readonly ExpressionResult[]> {
  return JSON.parse(await run(['evaluate'], JSON.stringify(job))) as ExpressionResult[]
}

/** Renders a jsonnet snippet. `directories` are searched for imports. */
export async function renderJsonnet<T>(snippet: string, directories: readonly string[]): Promise<T> {
  return JSON.parse(await run(['render', snippet, ...directories], '')) as T
}

async function run(args: readonly string[], input: string): Promise<string> {
  const child = spawn(prometheusProgram ?? '', args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await exited) as [number | null]
  if (code !== 0) throw new Error(`the program on Prometheus' packages exited with ${code}: ${errors.slice(0, 2000)}`)
  return out
}
