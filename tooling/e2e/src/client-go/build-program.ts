import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { installGoProgram } from '../real-parts/install-go-program.ts'

const directory = fileURLToPath(new URL('.', import.meta.url))

/** Compiles the program of this directory if its sources changed. */
export function buildProgram(): Promise<string | undefined> {
  const hash = createHash('sha256')
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (/\.go$|^go\.(mod|sum)$/.test(name)) hash.update(name).update(readFileSync(path.join(directory, name)))
  }
  const name = `client-go-${hash.digest('hex').slice(0, 16)}`
  return installGoProgram({ what: 'the program on client-go', name, package: 'keelson/client-go', directory })
}
