import { parseDuration, quote } from '@keelson/apimachinery'
import { findTimeZoneError } from './time-zone.ts'

interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
/** Bounds of the fields: minute, hour, day of the month, month, day of the week. The first name has the value `min`. */
const fieldBounds: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
]
const descriptors = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'])
const every = '@every '
const largestInt = 2n ** 63n

/** Returns upstream's error message for an invalid cron schedule; undefined for a valid schedule. */
export function findScheduleError(text: string): string | undefined {
  try {
    checkSchedule(text)
    return undefined
  } catch (error) {
    if (error instanceof ScheduleError) return error.message
    throw error
  }
}

class ScheduleError extends Error {}

function checkSchedule(text: string): void {
  if (text === '') throw new ScheduleError('empty spec string')
  let schedule = text
  if (text.startsWith('TZ=') || text.startsWith('CRON_TZ=')) {
    const space = text.indexOf(' ')
    // Upstream's cron parser panics here and reports the recovered panic.
    if (space < 0) throw new ScheduleError('invalid schedule format: runtime error: slice bounds out of range [:-1]')
    const zone = text.slice(text.indexOf('=') + 1, space)
    const zoneError = findTimeZoneError(zone)
    if (zoneError !== undefined) throw new ScheduleError(`provided bad location ${zone}: ${zoneError}`)
    schedule = text.slice(space).trim()
  }
  if (schedule.startsWith('@')) return checkDescriptor(schedule)
  const fields = schedule.split(/\s+/).filter((field) => field !== '')
  if (fields.length !== fieldBounds.length) {
    throw new ScheduleError(`expected exactly ${fieldBounds.length} fields, found ${fields.length}: [${fields.join(' ')}]`)
  }
  for (const [i, field] of fields.entries()) {
    for (const range of field.split(',')) if (range !== '') checkRange(range, fieldBounds[i]!)
  }
}

function checkDescriptor(text: string): void {
  if (descriptors.has(text)) return
  if (!text.startsWith(every)) throw new ScheduleError(`unrecognized descriptor: ${text}`)
  try {
    parseDuration(text.slice(every.length))
  } catch (error) {
    throw new ScheduleError(`failed to parse duration ${text}: ${(error as Error).message}`)
  }
}

/** Throws unless the text is like "*", "5", "1-5" or "mon-fri", with an optional "/step". */
function checkRange(text: string, bounds: Bounds): void {
  const [range = '', step, ...more] = text.split('/')
  const [low = '', high, ...rest] = range.split('-')
  let { min: start, max: end } = bounds
  if (low !== '*' && low !== '?') {
    start = parseValue(low, bounds)
    if (rest.length > 0) throw new ScheduleError(`too many hyphens: ${text}`)
    end = high === undefined ? start : parseValue(high, bounds)
  }
  if (more.length > 0) throw new ScheduleError(`too many slashes: ${text}`)
  const width = step === undefined ? 1 : parseNumber(step)
  // "5/15" means from 5 to the maximum.
  if (step !== undefined && high === undefined) end = bounds.max
  if (start < bounds.min) throw new ScheduleError(`beginning of range (${start}) below minimum (${bounds.min}): ${text}`)
  if (end > bounds.max) throw new ScheduleError(`end of range (${end}) above maximum (${bounds.max}): ${text}`)
  if (start > end) throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`)
  if (width === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`)
}

function parseValue(text: string, { min, names }: Bounds): number {
  const index = names?.indexOf(text.toLowerCase()) ?? -1
  return index < 0 ? parseNumber(text) : min + index
}

function parseNumber(text: string): number {
  const createScheduleError = (reason: string): Error =>
    new ScheduleError(`failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: ${reason}`)
  if (!/^[+-]?[0-9]+$/.test(text)) throw createScheduleError('invalid syntax')
  const number = BigInt(text.replace('+', ''))
  if (number >= largestInt || number < -largestInt) throw createScheduleError('value out of range')
  if (number < 0n) throw new ScheduleError(`negative number (${number}) not allowed: ${text}`)
  return Number(number)
}
