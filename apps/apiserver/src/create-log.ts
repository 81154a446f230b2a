import type { ServerChainOptions } from '@keelson/control-plane'
import { quote } from '@keelson/apimachinery'

type Log = NonNullable<ServerChainOptions['log']>
type Fields = NonNullable<Parameters<Log>[2]>

export interface LogOptions {
  /** The highest level that is written. */
  readonly verbosity: number
  readonly format: 'text' | 'json'
  readonly write?: (line: string) => void
  /** Milliseconds since 1970, with a fraction. */
  readonly now?: () => number
  readonly pid?: number
}

/**
 * The source position of every line. The program is a minified bundle, so positions in it would not help. klog writes this text if it cannot determine the
 * position.
 */
const caller = '???:1'

/**
 * Creates a log in kube-apiserver's format: klog's text, or the JSON of `--logging-format=json`. A line with the field `err` is an error: it starts with `E` in
 * text, and has no level in JSON.
 */
export function createLog(options: LogOptions): Log {
  const { verbosity, format, pid = process.pid } = options
  const write = options.write ?? ((line: string) => void process.stderr.write(line))
  const now = options.now ?? (() => performance.timeOrigin + performance.now())
  const lineOf = format === 'json' ? jsonLine : textLine
  const paddedPid = String(pid).padStart(7)
  return (level, text, fields = {}) => {
    if (level <= verbosity) write(lineOf({ level, text, fields, time: now(), pid: paddedPid }))
  }
}

interface Entry {
  readonly level: number
  readonly text: string
  readonly fields: Fields
  readonly time: number
  readonly pid: string
}

/** Formats a line as `I0102 15:04:05.678901   12345 ???:1] "HTTP" verb="GET" resp=200`. */
function textLine({ text, fields, time, pid }: Entry): string {
  let line = `${fields['err'] === undefined ? 'I' : 'E'}${clockText(time)} ${pid} ${caller}] ${quote(text)}`
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) line += ` ${name}=${valueText(value)}`
  return `${line}\n`
}

/** Formats a time in the local time zone, like klog. */
function clockText(time: number): string {
  const date = new Date(time)
  const two = (part: number): string => String(part).padStart(2, '0')
  const micros = String(Math.floor((time - Math.floor(time / 1000) * 1000) * 1000)).padStart(6, '0')
  return `${two(date.getMonth() + 1)}${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${micros}`
}

const controls = /[^\P{Cc}\t]/gu

function valueText(value: unknown): string {
  if (value instanceof Error) return valueText(value.message)
  if (typeof value !== 'string') return JSON.stringify(value)
  if (!value.includes('\n')) return quote(value)
  // A value of several lines stays readable: a tab indents each line, and the end mark has its own line.
  const lines = (value.endsWith('\n') ? value.slice(0, -1) : value).split('\n')
  return `<\n${lines.map((line) => `\t${line.replace(controls, '\ufffd')}\n`).join('')} >`
}

function jsonLine({ level, text, fields, time }: Entry): string {
  const isError = fields['err'] !== undefined
  const named = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? value.message : value]))
  return `${JSON.stringify({ ts: Math.round(time * 1000) / 1000, caller, msg: text, ...(isError ? {} : { v: level }), ...named })}\n`
}
