import { quote } from '@keelson/apimachinery'
import type { Duration } from '../values/duration.ts'
import { toInt, CelError } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import type { Timestamp } from '../values/timestamp.ts'
import { adaptTypes } from './implementation.ts'
import type { Implementation, Implementations } from './implementation.ts'
import { getZoneOffset } from './time-zones.ts'

/** Returns a field of a timestamp. `date` holds the local time of the time zone in its UTC fields. */
type Field = (date: Date, time: Timestamp) => number

const dayMilliseconds = 86_400_000

const fields: Readonly<Record<string, Field>> = {
  day_of_month: (date) => date.getUTCDate() - 1,
  day_of_month_1_based: (date) => date.getUTCDate(),
  day_of_week: (date) => date.getUTCDay(),
  day_of_year: computeDayOfYear,
  hours: (date) => date.getUTCHours(),
  milliseconds: (_, { nanos }) => Math.floor(nanos / 1_000_000),
  minutes: (date) => date.getUTCMinutes(),
  month: (date) => date.getUTCMonth(),
  seconds: (date) => date.getUTCSeconds(),
  year: (date) => date.getUTCFullYear(),
}

function computeDayOfYear(date: Date): number {
  const start = new Date(date)
  start.setUTCMonth(0, 1)
  return Math.round((date.getTime() - start.getTime()) / dayMilliseconds)
}

function readInUtc(field: Field): Implementation {
  return adaptTypes((time: Timestamp) => field(new Date(time.seconds * 1000), time))
}

function readInZone(field: Field): Implementation {
  return adaptTypes((time: Timestamp, zone: string): Value => {
    const offset = computeOffset(zone, time.seconds)
    return offset instanceof CelError ? offset : field(new Date((time.seconds + offset) * 1000), time)
  })
}

/** Returns the UTC offset of a time zone in seconds. The zone is a name or `±hours:minutes`. */
function computeOffset(zone: string, seconds: number): number | CelError {
  const colon = zone.indexOf(':')
  if (colon < 0) return getZoneOffset(zone, seconds)
  const hours = parseOffset(zone.slice(0, colon))
  if (hours instanceof CelError) return hours
  const minutes = parseOffset(zone.slice(colon + 1))
  if (minutes instanceof CelError) return minutes
  return (zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes) * 60
}

function parseOffset(text: string): number | CelError {
  if (!/^[+-]?[0-9]+$/.test(text)) return new CelError(`strconv.Atoi: parsing ${quote(text)}: invalid syntax`)
  const value = Number(text)
  return Math.abs(value) < 2 ** 31 ? value : new CelError(`strconv.Atoi: parsing ${quote(text)}: value out of range`)
}

/**
 * Creates a function that converts a duration to a whole number of units. It divides in floating point, as Go does, so a long duration may
 * be rounded up.
 */
function convertDuration(unit: bigint): Implementation {
  return adaptTypes(({ nanos }: Duration) => Math.trunc(Number(nanos / unit) + Number(nanos % unit) / Number(unit)) + 0)
}

/** Fields of timestamps and durations. */
export const times: Implementations = {
  ...Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => [
      [`timestamp_to_${name}`, readInUtc(field)],
      [`timestamp_to_${name}${name === 'seconds' ? '_tz' : '_with_tz'}`, readInZone(field)],
    ]),
  ),
  duration_to_hours: convertDuration(3_600_000_000_000n),
  duration_to_milliseconds: adaptTypes(({ nanos }: Duration) => toInt(nanos / 1_000_000n)),
  duration_to_minutes: convertDuration(60_000_000_000n),
  duration_to_seconds: convertDuration(1_000_000_000n),
}
