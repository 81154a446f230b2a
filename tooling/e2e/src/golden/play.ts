import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { startKeelsonProcess } from '../keelson-process.ts'
import { sharedDirectory } from '../repository-root.ts'

export const player: string = path.join(sharedDirectory, 'golden/play.mjs')
export const hasRecordings: boolean = existsSync(player)

export interface Failure {
  readonly id: string
  readonly step: string
  readonly want: number
  readonly got: number
  readonly diff: string | null
}

export interface Outcome {
  readonly total: number
  readonly failed: number
  readonly score: Readonly<Record<string, readonly [number, number]>>
  readonly fails: readonly Failure[]
  readonly output: string
}

/** Replays the recorded cases against a fresh server without controllers. Passes `args` to the player. */
export async function playGolden(args: readonly string[]): Promise<Outcome> {
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'keelson-golden-'))
  const flagIndex = args.indexOf('--json')
  const report = flagIndex < 0 ? path.join(scratch, 'report.json') : path.resolve(args[flagIndex + 1] ?? '')
  await using server = await startKeelsonProcess({ controllers: 'none' })
  try {
    const output = await collect([player, 'check', '--server', server.url, '--token', server.token, ...args, '--json', report])
    const json = await readFile(report, 'utf8').catch(() => {
      throw new Error(`the player wrote no report:\n${output}`)
    })
    return { ...(JSON.parse(json) as Omit<Outcome, 'output'>), output }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

function collect(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (data: Buffer) => (output += data.toString()))
    child.stderr.on('data', (data: Buffer) => (output += data.toString()))
    child.once('error', reject)
    child.once('close', () => resolve(output))
  })
}
