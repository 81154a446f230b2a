import { formatDuration, parseDuration } from './duration.ts'
import { JsonError } from './json-error.ts'
import { canonicalQuantity as formatQuantity } from './quantity.ts'
import { normalizeMicroTime, normalizeTime } from './time.ts'

/** Below a thousand, no larger suffix applies. */
const alreadyCanonical = /^[1-9][0-9]{0,2}(?:[munkMGT]|[KMGT]i)?$/

export function canonicalQuantity(text: string): string {
  return alreadyCanonical.test(text) ? text : parsed(() => formatQuantity(text.trim()))
}

export function canonicalTime(text: string): string | null {
  return parsed(() => normalizeTime(text))
}

export function canonicalMicroTime(text: string): string | null {
  return parsed(() => normalizeMicroTime(text))
}

export function canonicalDuration(text: string): string {
  return parsed(() => formatDuration(parseDuration(text)))
}

/** Passes on the messages of parsers, which match kube-apiserver's; they end decoding. */
function parsed<T>(parse: () => T): T {
  try {
    return parse()
  } catch (e) {
    throw new JsonError(e instanceof Error ? e.message : String(e), { cause: e })
  }
}
