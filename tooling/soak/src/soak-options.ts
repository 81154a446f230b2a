import { parseArgs } from 'node:util'

export interface SoakOptions {
  readonly minutes: number
  /** Share of the full rate. */
  readonly rate: number
  /** Runs all parts in one call. */
  readonly whole: boolean
  /** Deletes the results of earlier calls. */
  readonly fresh: boolean
}

export const partMinutes = 3

export const help = `npm run soak -- [flags]
Runs the remaining parts of ${partMinutes} minutes each on one server, which keeps running between calls, and starts none after five minutes.
Repeat the call to continue. The server stops after the last part, or when no call follows within 15 minutes.

  --minutes N    minutes of load in all parts together (default 30)
  --rate N       share of the full rate of requests (default 1)
  --whole        runs all parts in this call
  --fresh        stops the server, and deletes the results of finished parts (stored in .keelson/soak)
  --help         prints this help`

/** Parses the command line of `npm run soak`. Throws an error with a message for the user if a flag is invalid. */
export function parseSoakOptions(args: readonly string[]): SoakOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '30' },
      rate: { type: 'string', default: '1' },
      whole: { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  return {
    minutes: parsePositive('minutes', values.minutes),
    rate: parsePositive('rate', values.rate),
    whole: values.whole,
    fresh: values.fresh,
  }
}

function parsePositive(flag: string, text: string): number {
  const value = Number(text)
  if (!(value > 0 && Number.isFinite(value))) throw new Error(`--${flag} must be a positive number, not ${JSON.stringify(text)}`)
  return value
}
