import type { ServerChainOptions } from '@keelson/control-plane'

type Log = NonNullable<ServerChainOptions['log']>

/**
 * Writes what is no more talkative than `verbosity`. As text `2026-01-02T03:04:05.678Z HTTP verb="GET" resp=200`; as JSON one object for each line, with
 * the names that the original gives to time (`ts`, milliseconds), level (`v`) and text (`msg`).
 */
export function createLog(
  verbosity: number,
  format: 'text' | 'json',
  write: (line: string) => void = (line) => void process.stderr.write(line),
  now: () => number = Date.now,
): Log {
  if (format === 'json') {
    return (level, text, fields) => {
      if (level <= verbosity) write(`${JSON.stringify({ ts: now(), v: level, msg: text, ...fields })}\n`)
    }
  }
  return (level, text, fields) => {
    if (level > verbosity) return
    const named = Object.entries(fields ?? {}).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
    write(`${new Date(now()).toISOString()} ${text}${named.join('')}\n`)
  }
}
