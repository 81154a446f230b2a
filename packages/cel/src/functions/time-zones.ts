import { CelError } from '../values/value.ts'

const maxZones = 64
const formats = new Map<string, Intl.DateTimeFormat | undefined>()

/** Returns the offset of a named time zone at a time, in seconds. Only names with the spelling of the time zone database are known. */
export function zoneOffset(name: string, seconds: number): number | CelError {
  if (name === '' || name === 'UTC') return 0
  if (name.includes('..') || /^[/\\]/.test(name) || name.includes('\\')) return new CelError('time: invalid location name')
  const format = formatOf(name)
  if (format === undefined) return new CelError(`unknown time zone ${name}`)
  const parts = Object.fromEntries(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]))
  const year = parts['era'] === 'BC' ? 1 - Number(parts['year']) : Number(parts['year'])
  const local = new Date(0)
  local.setUTCFullYear(year, Number(parts['month']) - 1, Number(parts['day']))
  local.setUTCHours(Number(parts['hour']), Number(parts['minute']), Number(parts['second']))
  return local.getTime() / 1000 - seconds
}

function formatOf(name: string): Intl.DateTimeFormat | undefined {
  if (formats.has(name)) return formats.get(name)
  if (formats.size >= maxZones) formats.delete(formats.keys().next().value!)
  const format = newFormat(name)
  formats.set(name, format)
  return format
}

function newFormat(name: string): Intl.DateTimeFormat | undefined {
  if (!/^[A-Z][\w+-]*(?:\/[A-Z0-9][\w+-]*)*$/.test(name)) return undefined
  try {
    const number = '2-digit'
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: name === 'Local' ? undefined : name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: number,
      day: number,
      hour: number,
      minute: number,
      second: number,
    })
    const { timeZone } = format.resolvedOptions()
    const hasOtherCase = timeZone !== name && timeZone.toLowerCase() === name.toLowerCase()
    return hasOtherCase ? undefined : format
  } catch {
    return undefined
  }
}
