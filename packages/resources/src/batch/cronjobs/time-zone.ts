import { isZoneAlias } from './zone-aliases.ts'

/**
 * Whether there is a zone of this very name, as the original finds it in the time zone database: names are told apart by case,
 * and offsets ("+01") are no zones.
 */
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

/** Why there is no such zone, in the original's words. */
export function timeZoneComplaint(name: string): string | undefined {
  if (name.includes('..') || name.startsWith('/') || name.startsWith('\\')) return 'time: invalid location name'
  return isTimeZone(name) ? undefined : `unknown time zone ${name}`
}
