import { isZoneAlias } from './zone-aliases.ts'

/** True if Go's time zone database has this exact name: names are case-sensitive, and offsets ("+01") are not zones. */
export function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC' || name === 'Local') return true
  if (isZoneAlias(name)) return true
  if (!/^[A-Z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone === name
  } catch {
    return false
  }
}

/** Returns the error of Go's `time.LoadLocation`; undefined if the zone exists. */
export function findTimeZoneError(name: string): string | undefined {
  if (name.includes('..') || name.startsWith('/') || name.startsWith('\\')) return 'time: invalid location name'
  return isTimeZone(name) ? undefined : `unknown time zone ${name}`
}
