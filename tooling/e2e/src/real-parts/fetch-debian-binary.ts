import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { userCache } from './user-cache.ts'

export interface DebianBinary {
  readonly suite: string
  readonly package: string
  /** Path of the program inside the package. */
  readonly binary: string
}

/**
 * Downloads a package of another Debian suite with the machine's apt settings and unpacks it into the user's cache, without installing it.
 * Returns undefined if apt or the package is unavailable.
 */
export function fetchDebianBinary(wanted: DebianBinary): string | undefined {
  const home = path.join(userCache, `${wanted.suite}-${wanted.package}`)
  const binary = path.join(home, wanted.binary)
  if (existsSync(binary)) return binary
  const mirror = findDebianMirror()
  if (mirror === undefined) return undefined
  mkdirSync(userCache, { recursive: true })
  const scratch = mkdtempSync(path.join(userCache, 'fetch-'))
  try {
    for (const directory of ['lists/partial', 'archives/partial']) mkdirSync(path.join(scratch, directory), { recursive: true })
    writeFileSync(path.join(scratch, 'sources.list'), `deb ${mirror} ${wanted.suite} main\n`)
    writeFileSync(path.join(scratch, 'status'), '')
    const options = [
      `Dir::Etc::sourcelist=${scratch}/sources.list`,
      'Dir::Etc::sourceparts=-',
      // Ignores packages that are installed on this machine, so that apt downloads the requested one.
      `Dir::State::status=${scratch}/status`,
      `Dir::State::lists=${scratch}/lists`,
      `Dir::Cache=${scratch}`,
      'APT::Sandbox::User=root',
    ].flatMap((option) => ['-o', option])
    execFileSync('apt-get', [...options, 'update'], { stdio: 'ignore' })
    execFileSync('apt-get', [...options, 'download', wanted.package], { cwd: scratch, stdio: 'ignore' })
    const archive = readdirSync(scratch).find((name) => name.endsWith('.deb'))
    if (archive === undefined) return undefined
    execFileSync('dpkg-deb', ['-x', path.join(scratch, archive), path.join(scratch, 'unpacked')])
    rmSync(home, { recursive: true, force: true })
    renameSync(path.join(scratch, 'unpacked'), home)
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Returns the URL of the Debian mirror in this machine's apt settings. */
function findDebianMirror(): string | undefined {
  const files = ['/etc/apt/sources.list', ...list('/etc/apt/sources.list.d')]
  for (const file of files) {
    if (!existsSync(file)) continue
    const text = readFileSync(file, 'utf8')
    const uri = /^deb(?: \[[^\]]*\])? (\S+debian\/?) /m.exec(text)?.[1] ?? /^URIs: (\S+debian\/?)$/m.exec(text)?.[1]
    if (uri !== undefined) return uri
  }
  return undefined
}

function list(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).map((name) => path.join(directory, name)) : []
}
