/** Prints the reason for skipped tests. Throws in CI, where only optional programs may be missing. */
export function reportMissing(program: string, instruction: string, isOptional = false): undefined {
  if (process.env['CI'] !== undefined && !isOptional) throw new Error(`${program} is missing: ${instruction}`)
  process.stderr.write(`tests that need ${program} are skipped: ${instruction}\n`)
}
