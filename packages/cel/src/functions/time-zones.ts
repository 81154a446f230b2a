import { CelError } from '../values/value.ts'

const maxZones = 64
const formats = new Map<string, Intl.DateTimeFormat | undefined>()

/** The directories of the time zone database. kube-apiserver opens the file of a zone, so these names are errors of the file system. */
const directories: ReadonlySet<string> = new Set([
  'Africa',
  'America',
  'America/Argentina',
  'America/Indiana',
  'America/Kentucky',
  'America/North_Dakota',
  'Antarctica',
  'Arctic',
  'Asia',
  'Atlantic',
  'Australia',
  'Brazil',
  'Canada',
  'Chile',
  'Etc',
  'Europe',
  'Indian',
  'Mexico',
  'Pacific',
  'US',
])
/** The limits of Linux for the name of a file and for the path of a zone. */
const maxNameBytes = 255
const maxPathBytes = 4095 - '/usr/share/zoneinfo/'.length

/** Returns the offset of a named time zone at a time, in seconds. Only names with the spelling of the time zone database are known. */
export function getZoneOffset(name: string, seconds: number): number | CelError {
  if (name === '' || name === 'UTC') return 0
  if (name.includes('..') || /^[/\\]/.test(name)) return new CelError('time: invalid location name')
  const format = name === 'Local' ? findFormat(name) : findZone(name)
  if (format instanceof CelError) return format
  if (format === undefined) return new CelError(`unknown time zone ${name}`)
  const fields = Object.fromEntries(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]))
  const year = fields['era'] === 'BC' ? 1 - Number(fields['year']) : Number(fields['year'])
  const local = new Date(0)
  local.setUTCFullYear(year, Number(fields['month']) - 1, Number(fields['day']))
  local.setUTCHours(Number(fields['hour']), Number(fields['minute']), Number(fields['second']))
  return local.getTime() / 1000 - seconds
}

/** Finds a zone by the path of its file, which may contain empty names and dots. */
function findZone(path: string): Intl.DateTimeFormat | CelError | undefined {
  if (path.includes('\0')) return new CelError('invalid argument')
  if (Buffer.byteLength(path) > maxPathBytes) return new CelError('file name too long')
  const names = path.split('/')
  let found = ''
  for (const [i, name] of names.entries()) {
    if (name === '' || name === '.') continue
    if (Buffer.byteLength(name) > maxNameBytes) return new CelError('file name too long')
    found += found === '' ? name : `/${name}`
    if (directories.has(found)) continue
    const zone = found === 'Local' ? undefined : findFormat(found)
    return zone === undefined || i === names.length - 1 ? zone : new CelError('not a directory')
  }
  return new CelError('is a directory')
}

function findFormat(name: string): Intl.DateTimeFormat | undefined {
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
