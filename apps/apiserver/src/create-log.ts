import type { ServerChainOptions } from '@keelson/control-plane'
import { quote } from '@keelson/apimachinery'
import type { LogVerbosity } from './log-verbosity.ts'

type Log = NonNullable<ServerChainOptions['log']>
type Fields = NonNullable<Parameters<Log>[2]>

export interface LogOptions {
  readonly verbosity: Pick<LogVerbosity, 'includes'>
  readonly format: 'text' | 'json'
  readonly write?: (line: string) => void
  /** Returns the time in milliseconds since 1970, with a fraction. */
  readonly now?: () => number
  readonly pid?: number
}

/**
 * Source position in every log line. The program is a minified bundle, so real positions would not help. klog writes this text if it cannot
 * determine the position.
 */
const caller = '???:1'

/**
 * Creates a log function that writes kube-apiserver's formats: klog's text, or JSON for `--logging-format=json`. A message with the field
 * `err` is an error: in text it starts with `E`, and in JSON it has no level.
 */
export function createLog(options: LogOptions): Log {
  const { verbosity } = options
  const { write, stamp } = completeOptions(options)
  const formatLine = options.format === 'json' ? formatJsonLine : formatTextLine
  return (level, text, fields = {}) => {
    if (verbosity.includes(level, text)) write(formatLine({ level, text, fields, ...stamp() }))
  }
}

/** Creates a function that writes texts of several lines, such as traces, as kube-apiserver writes them: unquoted and without fields. */
export function createTextWriter(options: Omit<LogOptions, 'verbosity'>): (text: string) => void {
  const { write, stamp } = completeOptions(options)
  return options.format === 'json'
    ? (text) => write(formatJsonLine({ level: 0, text, fields: {}, ...stamp() }))
    : (text) => write(`I${formatPrefix(stamp())}${text}${text.endsWith('\n') ? '' : '\n'}`)
}

function completeOptions(options: Omit<LogOptions, 'verbosity'>): {
  readonly write: (line: string) => void
  readonly stamp: () => Pick<Entry, 'time' | 'pid'>
} {
  const now = options.now ?? (() => performance.timeOrigin + performance.now())
  const pid = String(options.pid ?? process.pid).padStart(7)
  return { write: options.write ?? ((line) => void process.stderr.write(line)), stamp: () => ({ time: now(), pid }) }
}

interface Entry {
  readonly level: number
  readonly text: string
  readonly fields: Fields
  readonly time: number
  readonly pid: string
}

/** Formats a log line as klog does: `I0102 15:04:05.678901   12345 ???:1] "HTTP" verb="GET" resp=200`. */
function formatTextLine({ text, fields, time, pid }: Entry): string {
  let line = `${fields['err'] === undefined ? 'I' : 'E'}${formatPrefix({ time, pid })}${quote(text)}`
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) line += ` ${name}=${formatValue(value)}`
  return `${line}\n`
}

/** Formats the start of a line without its severity. */
function formatPrefix({ time, pid }: Pick<Entry, 'time' | 'pid'>): string {
  return `${formatClock(time)} ${pid} ${caller}] `
}

/** Formats a time in the local time zone, as klog does. */
function formatClock(time: number): string {
  const date = new Date(time)
  const padToTwo = (part: number): string => String(part).padStart(2, '0')
  const micros = String(Math.floor((time - Math.floor(time / 1000) * 1000) * 1000)).padStart(6, '0')
  return `${padToTwo(date.getMonth() + 1)}${padToTwo(date.getDate())} ${padToTwo(date.getHours())}:${padToTwo(date.getMinutes())}:${padToTwo(date.getSeconds())}.${micros}`
}

const controls = /[^\P{Cc}\t]/gu

function formatValue(value: unknown): string {
  if (value instanceof Error) return formatValue(value.message)
  if (typeof value !== 'string') return JSON.stringify(value)
  if (!value.includes('\n')) return quote(value)
  // Formats a value of several lines in a readable way: each line is indented by a tab, and the end mark has its own line.
  const lines = (value.endsWith('\n') ? value.slice(0, -1) : value).split('\n')
  return `<\n${lines.map((line) => `\t${line.replace(controls, '\ufffd')}\n`).join('')} >`
}

function formatJsonLine({ level, text, fields, time }: Entry): string {
  const isError = fields['err'] !== undefined
  const printable = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? value.message : value]),
  )
  return `${JSON.stringify({ ts: Math.round(time * 1000) / 1000, caller, msg: text, ...(isError ? {} : { v: level }), ...printable })}\n`
}
