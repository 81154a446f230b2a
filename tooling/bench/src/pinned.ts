import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'

const taskset = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .map((directory) => path.join(directory, 'taskset'))
  .find(existsSync)

/** Pins a process to cores: the server to the first core, clients to the others. So neither uses the other's processor time. Does nothing if the system does not support it. */
export function pinToCores(role: 'server' | 'client', program: string, args: readonly string[]): [program: string, args: string[]] {
  const cores = availableParallelism()
  if (taskset === undefined || cores < 2) return [program, [...args]]
  return [taskset, ['-c', role === 'server' ? '0' : `1-${cores - 1}`, program, ...args]]
}
