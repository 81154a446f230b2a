import { formatDuration, parseDuration } from './duration.ts'
import { JsonError } from './json-error.ts'
import { canonicalQuantity as formatQuantity } from './quantity.ts'
import { normalizeMicroTime, normalizeTime } from './time.ts'

/** Below a thousand, no larger suffix applies. */
const canonicalQuantityPattern = /^[1-9][0-9]{0,2}(?:[munkMGT]|[KMGT]i)?$/

export function canonicalQuantity(text: string): string {
  return canonicalQuantityPattern.test(text) ? text : withJsonError(() => formatQuantity(text.trim()))
}

export function canonicalTime(text: string): string | null {
  return withJsonError(() => normalizeTime(text))
}

export function canonicalMicroTime(text: string): string | null {
  return withJsonError(() => normalizeMicroTime(text))
}

export function canonicalDuration(text: string): string {
  return withJsonError(() => formatDuration(parseDuration(text)))
}

/** Passes on the messages of parsers, which match kube-apiserver's; they end decoding. */
function withJsonError<T>(parse: () => T): T {
  try {
    return parse()
  } catch (e) {
    throw new JsonError(e instanceof Error ? e.message : String(e), { cause: e })
  }
}
