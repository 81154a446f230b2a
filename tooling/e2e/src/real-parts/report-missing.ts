/** Prints the reason for skipped tests. Throws in CI, where nothing may be missing. */
export function reportMissing(what: string, how: string): undefined {
  if (process.env['CI'] !== undefined) throw new Error(`${what} is missing: ${how}`)
  process.stderr.write(`tests that need ${what} are skipped: ${how}\n`)
}
