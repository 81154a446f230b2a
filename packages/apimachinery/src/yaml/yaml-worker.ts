import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { parseFullYaml } from './parse-yaml.ts'
import type { ParsedYaml } from './parse-yaml.ts'

export type YamlOutcome = { readonly parsed: ParsedYaml } | { readonly message: string; readonly name: string }

/** Memory limit of a thread in megabytes. An ordinary document of 3 MB needs most of it. */
const maxMegabytes = 512

/** Starts a thread that parses one text, sends the `YamlOutcome` and ends. The code of the thread is this module too. */
export function startYamlWorker(yamlText: string): Worker {
  return new Worker(new URL(import.meta.url), { workerData: { yamlText }, resourceLimits: { maxOldGenerationSizeMb: maxMegabytes } })
}

const threadInput = workerData as { readonly yamlText?: unknown } | null | undefined
// This is the port of a thread, not a window, so there is no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
if (!isMainThread && typeof threadInput?.yamlText === 'string') parentPort?.postMessage(read(threadInput.yamlText))

function read(text: string): YamlOutcome {
  try {
    return { parsed: parseFullYaml(text) }
  } catch (error) {
    const { name, message } = error as Error
    return error instanceof RangeError ? { name: 'YamlError', message: 'exceeded max depth' } : { name, message }
  }
}
