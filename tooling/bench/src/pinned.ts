import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'

const taskset = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .map((directory) => path.join(directory, 'taskset'))
  .find(existsSync)

/**
 * Returns a command that runs a program on fixed cores. Servers run on the first core, clients on the others, so that one does not take
 * processor time from the other. Returns the program unchanged if the system does not support this.
 */
export function pinToCores(role: 'server' | 'client', program: string, args: readonly string[]): [program: string, args: string[]] {
  const cores = availableParallelism()
  if (taskset === undefined || cores < 2) return [program, [...args]]
  return [taskset, ['-c', role === 'server' ? '0' : `1-${cores - 1}`, program, ...args]]
}
