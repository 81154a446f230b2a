import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { installGoProgram } from './install-go-program.ts'

export interface GoDirectory {
  readonly subject: string
  /** Name of the program in the user's cache. */
  readonly name: string
  /** Package to compile. Default: `keelson/NAME`, which is the Go module in the directory. */
  readonly package?: string
  /** Directory of the Go module. */
  readonly url: URL
}

/** Compiles the Go program in a directory if its sources have changed. Returns the path of the program, or undefined without Go. */
export function buildGoDirectory({ subject, name, url, package: wanted = `keelson/${name}` }: GoDirectory): Promise<string | undefined> {
  const directory = fileURLToPath(url)
  const hash = createHash('sha256')
  for (const file of readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (/\.go$|^go\.(mod|sum)$/.test(file)) hash.update(file).update(readFileSync(path.join(directory, file)))
  }
  return installGoProgram({ subject, name: `${name}-${hash.digest('hex').slice(0, 16)}`, package: wanted, directory })
}
