import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'

const taskset = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .map((directory) => path.join(directory, 'taskset'))
  .find(existsSync)

/** If the system supports it, gives the server the first core and clients the others, so that neither uses the other's processor time. */
export function pinToCores(role: 'server' | 'client', program: string, args: readonly string[]): [program: string, args: string[]] {
  const cores = availableParallelism()
  if (taskset === undefined || cores < 2) return [program, [...args]]
  return [taskset, ['-c', role === 'server' ? '0' : `1-${cores - 1}`, program, ...args]]
}
