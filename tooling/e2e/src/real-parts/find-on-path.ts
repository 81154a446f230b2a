import { accessSync, constants } from 'node:fs'
import path from 'node:path'

export function findOnPath(name: string): string | undefined {
  for (const directory of (process.env['PATH'] ?? '').split(path.delimiter)) {
    const file = path.join(directory, name)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      // Try the next directory.
    }
  }
  return undefined
}
