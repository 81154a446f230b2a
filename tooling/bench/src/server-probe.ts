import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Information that a process reports about itself. */
export interface ServerProbe {
  /** Bytes allocated on its heap since its start. */
  allocated(): Promise<number>
  /** Runs garbage collection. */
  collect(): Promise<void>
  /** Runs garbage collection and returns the bytes in use, on the heap and outside it, without pages that the heap keeps for later. */
  retained(): Promise<number>
  /** Starts CPU and heap profiles; disposing of the result writes them with the prefix `file`. */
  profile(file: string): Promise<AsyncDisposable>
}

/** Flags for Node, before the program. */
export const probeFlags: readonly string[] = ['--import', fileURLToPath(import.meta.resolve('./probe.mjs'))]

/** Connects to a child that was started with `probeFlags` and an IPC channel. */
export function connectProbe(child: ChildProcess): ServerProbe {
  const ask = (question: string, argument?: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const heard = (message: unknown): void => {
        const said = message as { readonly question: string; readonly answer: unknown }
        if (said.question !== question) return
        child.off('message', heard)
        resolve(said.answer)
      }
      child.on('message', heard)
      child.send({ question, argument }, (error) => error && reject(error))
    })
  return {
    allocated: () => ask('allocated') as Promise<number>,
    retained: () => ask('retained') as Promise<number>,
    collect: async () => void (await ask('collect')),
    async profile(file) {
      await ask('startProfile')
      return { [Symbol.asyncDispose]: async () => void (await ask('stopProfile', file)) }
    },
  }
}
