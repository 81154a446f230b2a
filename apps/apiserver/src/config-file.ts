import { readFile } from 'node:fs/promises'
import { parseYaml } from '@keelson/apimachinery/yaml'
import { acceptOther, readValue, UsageError } from './arguments.ts'
import type { FlagDefinition } from './flags.ts'

/**
 * Flags from a YAML file, one key for each: `secure-port: 6443`. What may be given several times, or has several parts, may be a list; what is pairs
 * may be a map. Throws `UsageError`.
 */
export async function readConfigFile(file: string, known: ReadonlyMap<string, FlagDefinition>): Promise<Readonly<Record<string, unknown>>> {
  let document: unknown
  try {
    document = parseYaml(await readFile(file, 'utf8')).value
  } catch (error) {
    throw new UsageError(`--config: cannot read ${file}: ${(error as Error).message}`)
  }
  if (document === null || document === undefined) return {}
  if (typeof document !== 'object' || Array.isArray(document)) throw new UsageError(`--config: ${file} is no map of flags`)
  const values: Record<string, unknown> = {}
  for (const [name, written] of Object.entries(document)) {
    const definition = known.get(name)
    if (name === 'config') throw new UsageError(`${file}: a file of flags cannot name another`)
    try {
      if (definition === undefined) acceptOther(name, textOf(written), known)
      else values[name] = valueOf(name, definition, written)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      throw new UsageError(`${file}: ${error.message}`)
    }
  }
  return values
}

function valueOf(name: string, definition: FlagDefinition, written: unknown): unknown {
  if (written === null || typeof written !== 'object') return readValue(name, definition, textOf(written))
  const texts = Array.isArray(written) ? written.map(textOf) : Object.entries(written).map(([key, value]) => `${key}=${textOf(value)}`)
  const parts = texts.map((text) => readValue(name, definition, text))
  if (parts.every(Array.isArray)) return parts.flat()
  throw new UsageError(`--${name}: is not a list`)
}

function textOf(written: unknown): string {
  return typeof written === 'string' ? written : JSON.stringify(written)
}
