import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { FloodUser } from './flooded-server.ts'

/** Outcomes of the requests of a flood. */
export interface FloodCounts {
  readonly complete: number
  /** Answered with 429. */
  readonly rejected: number
  /** Without a complete response. */
  readonly failed: number
  readonly bytes: number
}

export interface FloodOptions {
  readonly url: string
  readonly user: FloodUser
  readonly path: string
  readonly connections: number
}

/** Floods a server while `run` runs. */
export async function runDuringFlood(
  { url, user, path: target, connections }: FloodOptions,
  run: () => Promise<void>,
): Promise<FloodCounts> {
  const program = path.join(import.meta.dirname, 'flood-child.ts')
  const child = spawn(process.execPath, [program, url, user, target, String(connections)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = text(child.stdout)
  try {
    await run()
  } finally {
    child.kill('SIGTERM')
  }
  return JSON.parse(await output) as FloodCounts
}
