import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LoadJob, LoadResult } from './load-job.ts'
import { pinned } from './pinned.ts'

/** One load, from a process of its own. */
export function runClient(job: LoadJob): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const program = fileURLToPath(import.meta.resolve('./load-client.ts'))
    const client = spawn(...pinned('client', process.execPath, [program]), { stdio: ['pipe', 'pipe', 'inherit'] })
    let printed = ''
    client.stdout.on('data', (data: Buffer) => (printed += data.toString()))
    client.on('error', reject)
    client.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(printed) as LoadResult) : reject(new Error(`the load client ended with ${code}`)),
    )
    // Not on the command line: a job that mixes many requests is longer than that may be.
    client.stdin.end(JSON.stringify(job))
  })
}
