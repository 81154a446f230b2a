/** Prints the reason for skipped tests. Throws in CI, where only optional programs may be missing. */
export function reportMissing(what: string, how: string, isOptional = false): undefined {
  if (process.env['CI'] !== undefined && !isOptional) throw new Error(`${what} is missing: ${how}`)
  process.stderr.write(`tests that need ${what} are skipped: ${how}\n`)
}
