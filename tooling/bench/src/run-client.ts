import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LoadFailure, LoadJob, LoadResult } from './load-job.ts'
import { pinToCores } from './pinned.ts'

/** A client process that runs loads one after the other. */
export interface LoadClient extends Disposable {
  run(job: LoadJob): Promise<LoadResult>
}

const program = fileURLToPath(import.meta.resolve('./load-client.ts'))

export function openClient(): LoadClient {
  const child = spawn(...pinToCores('client', process.execPath, [program]), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  // An idle client must not keep the parent process running.
  const detachChild = (): void => {
    child.unref()
    child.channel?.unref()
  }
  detachChild()
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        const stopListening = (): void => {
          child.off('message', handleMessage)
          child.off('exit', handleExit)
          detachChild()
        }
        const handleMessage = (message: unknown): void => {
          stopListening()
          const answer = message as LoadResult | LoadFailure
          if ('error' in answer) reject(new Error(answer.error))
          else resolve(answer)
        }
        const handleExit = (code: number | null): void => {
          stopListening()
          reject(new Error(`the load client exited with ${code}`))
        }
        child.on('message', handleMessage)
        child.on('exit', handleExit)
        child.ref()
        child.channel?.ref()
        child.send(job)
      }),
    [Symbol.dispose]: () => void child.kill(),
  }
}

const idle: LoadClient[] = []

/** Runs a load in a client process that all loads share. Loads run one after the other. */
export async function runClient(job: LoadJob): Promise<LoadResult> {
  const client = idle.pop() ?? openClient()
  try {
    const result = await client.run(job)
    idle.push(client)
    return result
  } catch (error) {
    client[Symbol.dispose]()
    throw error
  }
}
