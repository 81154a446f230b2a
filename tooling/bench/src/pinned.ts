import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'

const taskset = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .map((directory) => path.join(directory, 'taskset'))
  .find(existsSync)

/** The server has the first core to itself and clients have the others, where the system lets us say so: what the one uses is not taken from the other. */
export function pinned(role: 'server' | 'client', program: string, args: readonly string[]): [program: string, args: string[]] {
  const cores = availableParallelism()
  if (taskset === undefined || cores < 2) return [program, [...args]]
  return [taskset, ['-c', role === 'server' ? '0' : `1-${cores - 1}`, program, ...args]]
}
