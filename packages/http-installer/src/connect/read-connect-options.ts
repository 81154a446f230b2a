import { newBadRequest, normalizeTime } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { parseLooseBoolean } from '@keelson/exchange'
import type { QueryParameters } from '@keelson/exchange'
import type { OptionsDescription, OptionType } from '@keelson/registry'
import { parseInt64 } from '../handlers/read-request.ts'

/**
 * Parses the options of a connect request (such as PodExecOptions) from the query. Absent and false members are omitted. Throws 400 for
 * invalid values.
 */
export function readConnectOptions({ members }: OptionsDescription, query: QueryParameters): KubeObject {
  const options: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(members)) {
    if (!query.has(name)) continue
    const value = readers[type](query.getAll(name))
    if (value !== undefined) options[name] = value
  }
  return options as unknown as KubeObject
}

const readers: Readonly<Record<OptionType, (values: readonly string[]) => unknown>> = {
  boolean: ([value = '']) => parseLooseBoolean(value) || undefined,
  integer: ([value = '']) => parseInt64(value),
  integers: (values) => values.map(parseInt32),
  string: ([value = '']) => value,
  strings: (values) => [...values],
  time: ([value = '']) => (value === '' || value === 'null' ? undefined : readTime(value)),
}

const maxInt32 = 2 ** 31

function parseInt32(text: string): number {
  const value = parseInt64(text)
  if (value < maxInt32 && value >= -maxInt32) return value
  throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`)
}

function readTime(text: string): string | undefined {
  try {
    return normalizeTime(text) ?? undefined
  } catch (error) {
    throw newBadRequest((error as Error).message)
  }
}
