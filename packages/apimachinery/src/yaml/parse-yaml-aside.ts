import { JsonError } from '../json-error.ts'
import { readQuickly } from './parse-yaml.ts'
import type { ParsedYaml } from './parse-yaml.ts'
import { YamlError } from './yaml-error.ts'
import type { YamlOutcome } from './yaml-worker.ts'

/** Up to here the parser takes no longer than others can wait. */
const shortLength = 32 * 1024
/** Of the whole process: as many threads as that take their share of the processor, not all of it. */
const maxWorkers = 1
let workers = 0
const waiting: (() => void)[] = []

/**
 * For long texts that only the parser of all of YAML can read, which takes seconds for a megabyte: has a thread of its own read it, one at a time.
 * What comes back gives what `parseYaml` gives, or throws what it throws, each time anew. Undefined: `parseYaml` is quick for this text.
 */
export function parseYamlAside(input: Uint8Array, signal: () => AbortSignal): Promise<(() => ParsedYaml) | undefined> | undefined {
  return input.byteLength <= shortLength ? undefined : aside(input, signal())
}

async function aside(input: Uint8Array, signal: AbortSignal): Promise<(() => ParsedYaml) | undefined> {
  const text = Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString('utf8')
  try {
    if (readQuickly(text) !== undefined) return undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
  await turn(signal)
  try {
    const outcome = await readInWorker(text, signal)
    return () => {
      if ('parsed' in outcome) return structuredClone(outcome.parsed)
      throw outcome.name === 'JsonError' ? new JsonError(outcome.message) : new YamlError(outcome.message.replace(/^yaml: /, ''))
    }
  } finally {
    workers--
    // All of them: some no longer wait, and those that do look for themselves.
    for (const wake of waiting.splice(0)) wake()
  }
}

async function turn(signal: AbortSignal): Promise<void> {
  while (workers >= maxWorkers) {
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    signal.throwIfAborted()
  }
  workers++
}

async function readInWorker(text: string, signal: AbortSignal): Promise<YamlOutcome> {
  const { startYamlWorker } = await import('./yaml-worker.ts')
  const worker = startYamlWorker(text)
  try {
    return await new Promise<YamlOutcome>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', ({ message }: Error) => resolve({ name: 'YamlError', message }))
      worker.once('exit', () => resolve({ name: 'YamlError', message: 'the document could not be read' }))
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      if (signal.aborted) reject(signal.reason as Error)
    })
  } finally {
    await worker.terminate()
  }
}
