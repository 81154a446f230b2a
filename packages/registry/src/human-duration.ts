import { parseTime } from '@keelson/apimachinery'

/** The age of a time, as tables print it; `<unknown>` if unset. */
export function age(time: string | null | undefined, now: number): string {
  return time === undefined || time === null || time === '' ? '<unknown>' : humanDuration(now - parseTime(time))
}

/** At most two units, fewer for long durations: 45s, 5m30s, 3h, 7d12h, 2y40d. Clocks that differ by a second or two show as 0s. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(seconds / 60)
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(minutes / 60)
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (days < 8) return withRest(days, 'd', hours % 24, 'h')
  if (days < 2 * 365) return `${days}d`
  const years = Math.trunc(days / 365)
  return days < 8 * 365 ? withRest(years, 'y', days % 365, 'd') : `${years}y`
}

function withRest(count: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${count}${unit}` : `${count}${unit}${rest}${restUnit}`
}
