import { spawn } from 'node:child_process'
import path from 'node:path'
import type { Figure, Side } from './item.ts'

/**
 * Creates a side that measures in a new process, so that the heaps of other measurements have no influence. The process gets the duration
 * in seconds as its last argument and prints a figure.
 */
export function createProcessSide(
  name: string,
  program: string,
  args: () => readonly string[],
  pick: (figure: Figure) => number = ({ value }) => value,
): Side {
  return {
    name,
    // No warm-up here, because each process does its own.
    warmUp: async () => undefined,
    async measure(seconds) {
      const figure = JSON.parse(await readOutput([program, ...args(), String(seconds)])) as Figure
      return { ...figure, value: pick(figure) }
    },
    async startProfile(file) {
      const { dir, base } = path.parse(file)
      const flags = ['cpu', 'heap'].flatMap((kind) => [
        `--${kind}-prof`,
        `--${kind}-prof-dir=${dir}`,
        `--${kind}-prof-name=${base}.${kind}profile`,
      ])
      await readOutput([...flags, program, ...args(), '2'])
      return { [Symbol.asyncDispose]: () => Promise.resolve() }
    },
  }
}

function readOutput(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.on('data', (data: Buffer) => (printed += data.toString()))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(printed) : reject(new Error(`the measuring process exited with ${code}: ${args.join(' ')}`)),
    )
  })
}
