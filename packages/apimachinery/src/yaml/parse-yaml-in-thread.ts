import { JsonError } from '../json-error.ts'
import type { JsonValue } from '../meta.ts'
import { pauseIfLong } from '../scheduling.ts'
import { parseCommonYaml } from './parse-yaml.ts'
import type { ParsedYaml } from './parse-yaml.ts'
import { ReadingThreads } from './reading-threads.ts'
import { YamlError } from './yaml-error.ts'
import type { YamlOutcome } from './yaml-worker.ts'

/** Maximum length of text that is parsed in the main thread. Parsing it does not delay other requests noticeably. */
const shortLength = 32 * 1024
/** The threads of the process, which all servers in it share. */
const threads = new ReadingThreads(readInWorker)

/**
 * Parses a long text in a separate thread if the text needs the full YAML parser, which takes seconds per megabyte. The promise resolves to a
 * function that returns or throws like `parseYaml`. Each of its results is a new value. Returns undefined if the text is short, or if it is
 * nested so deeply that only `parseYaml` reports the right error.
 */
export function parseYamlInThread(input: Uint8Array, signal: () => AbortSignal): Promise<(() => ParsedYaml) | undefined> | undefined {
  return input.byteLength <= shortLength ? undefined : parseInThread(input, signal())
}

async function parseInThread(input: Uint8Array, signal: AbortSignal): Promise<(() => ParsedYaml) | undefined> {
  const text = Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString('utf8')
  const began = performance.now()
  try {
    const read = parseCommonYaml(text)
    if (read !== undefined) {
      await pauseIfLong(began)
      return readOnce(text, read)
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
  const outcome = await threads.read(text, signal)
  return () => {
    if ('parsed' in outcome) return structuredClone(outcome.parsed)
    throw outcome.name === 'JsonError' ? new JsonError(outcome.message) : new YamlError(outcome.message.replace(/^yaml: /, ''))
  }
}

/** Returns a function whose first call returns the given value, and whose later calls parse the text again. */
function readOnce(text: string, read: JsonValue): () => ParsedYaml {
  let first: { readonly value: JsonValue } | undefined = { value: read }
  return () => {
    const { value } = first ?? { value: parseCommonYaml(text)! }
    first = undefined
    return { value, duplicates: [] }
  }
}

async function readInWorker(text: string, signal: AbortSignal): Promise<YamlOutcome> {
  const { startYamlWorker } = await import('./yaml-worker.ts')
  signal.throwIfAborted()
  const worker = startYamlWorker(text)
  try {
    return await new Promise<YamlOutcome>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', (error: Error) => resolve({ name: 'YamlError', message: describeFailure(error) }))
      worker.once('exit', () => resolve({ name: 'YamlError', message: 'the document could not be read' }))
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
  } finally {
    await worker.terminate()
  }
}

function describeFailure(error: Error): string {
  if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') return 'the document takes too much memory to read'
  return error.message
}
