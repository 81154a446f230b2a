import { inspect } from 'node:util'
import { isApiError } from '@keelson/apimachinery'
import type { Log } from './create-server.ts'

/** The default log function: writes messages of level 0, which are for operators, to the console. */
export const logToConsole: Log = (level, text, fields = {}) => {
  if (level > 0) return
  const format = (value: unknown): string => (typeof value === 'string' || value instanceof Error ? String(value) : inspect(value))
  const presentFields = Object.entries(fields).filter(([, value]) => value !== undefined)
  // eslint-disable-next-line no-console
  console.error([text, ...presentFields.map(([name, value]) => `  ${name}: ${format(value)}`)].join('\n'))
}

/** Formats an error for the log: only the message for API errors, and stack and causes for bugs. */
export function describeError(error: unknown): string {
  return error instanceof Error && !isApiError(error) ? inspect(error) : String(error)
}
