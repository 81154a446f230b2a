import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Requests to a measured process about its own memory and profiles. */
export interface ServerProbe {
  /** Returns the number of bytes allocated on the heap since the process started. */
  measureAllocated(): Promise<number>
  /** Runs a garbage collection in the process. */
  collect(): Promise<void>
  /**
   * Runs garbage collection and returns the number of bytes in use, on the heap and in buffers. Does not count free pages that the heap
   * keeps.
   */
  measureRetained(): Promise<number>
  /** Starts CPU and heap profiles. Disposing the result writes the profiles to files with the prefix `file`. */
  startProfile(file: string): Promise<AsyncDisposable>
}

/** Node flags that load the probe before the program. */
export const probeFlags: readonly string[] = ['--import', fileURLToPath(import.meta.resolve('./probe.mjs'))]

/** Connects to the probe in a child process. The child must be started with `probeFlags` and an IPC channel. */
export function connectProbe(child: ChildProcess): ServerProbe {
  const ask = (question: string, argument?: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const handleMessage = (message: unknown): void => {
        const said = message as { readonly question: string; readonly answer: unknown }
        if (said.question !== question) return
        child.off('message', handleMessage)
        resolve(said.answer)
      }
      child.on('message', handleMessage)
      child.send({ question, argument }, (error) => error && reject(error))
    })
  return {
    measureAllocated: () => ask('allocated') as Promise<number>,
    measureRetained: () => ask('retained') as Promise<number>,
    collect: async () => void (await ask('collect')),
    async startProfile(file) {
      await ask('startProfile')
      return { [Symbol.asyncDispose]: async () => void (await ask('stopProfile', file)) }
    },
  }
}
