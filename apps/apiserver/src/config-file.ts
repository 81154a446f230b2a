import { readFile } from 'node:fs/promises'
import { parseYaml } from '@keelson/apimachinery/yaml'
import { findOtherFlagProblem, readValue } from './arguments.ts'
import type { FlagPreset } from './arguments.ts'
import type { FlagDefinition } from './flag-types.ts'

/**
 * Reads flags from a YAML file with one key per flag, such as `secure-port: 6443`. The value of a flag that is repeatable or comma-
 * separated may be a list. The value of a flag with key-value pairs may be a map.
 */
export async function readConfigFile(file: string, knownFlags: ReadonlyMap<string, FlagDefinition>): Promise<FlagPreset> {
  let document: unknown
  try {
    document = parseYaml(await readFile(file, 'utf8')).value
  } catch (error) {
    return { values: {}, problems: [`--config: cannot read ${file}: ${(error as Error).message}`] }
  }
  if (document === null || document === undefined) return { values: {}, problems: [] }
  if (typeof document !== 'object' || Array.isArray(document)) {
    return { values: {}, problems: [`--config: ${file} is not a map of flags, like "secure-port: 6443"`] }
  }
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, written] of Object.entries(document)) {
    const definition = knownFlags.get(name)
    if (name === 'config') problems.push(`${file}: a file of flags cannot name another`)
    else if (definition === undefined) {
      const problem = findOtherFlagProblem(name, toText(written), knownFlags)
      if (problem !== undefined) problems.push(`${file}: ${problem}`)
    } else {
      const read = findFlagValue(name, definition, written)
      if ('problem' in read) problems.push(`${file}: ${read.problem}`)
      else values[name] = read.value
    }
  }
  return { values, problems }
}

function findFlagValue(name: string, definition: FlagDefinition, written: unknown): ReturnType<typeof readValue> {
  if (written === null || typeof written !== 'object') return readValue(name, definition, toText(written))
  const texts = Array.isArray(written) ? written.map(toText) : Object.entries(written).map(([key, value]) => `${key}=${toText(value)}`)
  const elements: unknown[] = []
  for (const text of texts) {
    const read = readValue(name, definition, text)
    if ('problem' in read) return read
    if (!Array.isArray(read.value)) return { problem: `--${name}: is not a list` }
    elements.push(...(read.value as unknown[]))
  }
  return { value: elements }
}

function toText(written: unknown): string {
  return typeof written === 'string' ? written : JSON.stringify(written)
}
