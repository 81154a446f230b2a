/** Prints why tests are skipped. In CI nothing may be missing: throws. */
export function reportMissing(what: string, how: string): undefined {
  if (process.env['CI'] !== undefined) throw new Error(`no ${what}: ${how}`)
  process.stderr.write(`tests that need ${what} are skipped: ${how}\n`)
}
