/** Says what tests are skipped for. In CI nothing may be missing: throws. */
export function doWithout(what: string, how: string): undefined {
  if (process.env['CI'] !== undefined) throw new Error(`no ${what}: ${how}`)
  process.stderr.write(`tests that need ${what} are skipped: ${how}\n`)
}
