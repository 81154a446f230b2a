import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { reportMissing } from '../real-parts/report-missing.ts'
import { findOnPath } from '../real-parts/find-on-path.ts'
import { userCache } from '../real-parts/user-cache.ts'

const run = promisify(execFile)
const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url))

/**
 * Returns the path of a Python that has the packages of `requirements.txt`. Creates a virtual environment in the user's cache with
 * PYTHON_BIN or python3.
 */
export async function findPythonWithClient(): Promise<string | undefined> {
  const python = process.env['PYTHON_BIN'] ?? findOnPath('python3')
  if (python === undefined) return reportMissing('python3', 'set PYTHON_BIN')
  let scratch: string | undefined
  try {
    const { stdout: version } = await run(python, ['-VV'])
    const hash = createHash('sha256').update(version).update(readFileSync(requirements)).digest('hex').slice(0, 16)
    const home = path.join(userCache, `python-client-${hash}`)
    const binary = path.join(home, 'bin/python')
    if (existsSync(binary)) return binary
    mkdirSync(userCache, { recursive: true })
    scratch = mkdtempSync(path.join(userCache, 'fetch-'))
    await run(python, ['-m', 'venv', scratch])
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:']
    await run(path.join(scratch, 'bin/python'), [...pip, '-r', requirements])
    if (!existsSync(home)) renameSync(scratch, home)
    return binary
  } catch (error) {
    return reportMissing("Python's kubernetes package", error instanceof Error ? error.message : String(error))
  } finally {
    if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true })
  }
}
