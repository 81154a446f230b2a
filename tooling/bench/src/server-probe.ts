import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** What a process can tell of itself. */
export interface ServerProbe {
  /** Bytes on its heap since it began. */
  allocated(): Promise<number>
  /** Garbage goes away. */
  collect(): Promise<void>
  /** Where it spends time and memory from now on; written beside `file` when what this resolves to is disposed of. */
  profile(file: string): Promise<AsyncDisposable>
}

/** Flags of node's, before the program. */
export const probeFlags: readonly string[] = ['--import', fileURLToPath(import.meta.resolve('./probe.mjs'))]

/** Of a child that was started with `probeFlags` and a channel. */
export function probeOf(child: ChildProcess): ServerProbe {
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
    collect: async () => void (await ask('collect')),
    async profile(file) {
      await ask('startProfile')
      return { [Symbol.asyncDispose]: async () => void (await ask('stopProfile', file)) }
    },
  }
}
