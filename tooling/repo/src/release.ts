import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { findNode, lowestNode } from '@keelson/tooling-run/find-node'
import { node, tool } from '@keelson/tooling-run/prepare'
import { importAlone, installAlone, runWithNpx } from './install-alone.ts'
import { openLocalRegistry } from './local-registry.ts'
import { readPublishedManifests, repositoryRoot } from './manifests.ts'
import { packAll } from './pack.ts'
import type { PackedPackage } from './pack.ts'
import { findContentProblems } from './package-contents.ts'

const args = process.argv.slice(2)
const isDryRun = args.includes('--dry-run')
const unknown = args.filter((argument) => argument !== '--dry-run')
if (unknown.length > 0) {
  process.stderr.write(`release: unknown argument ${unknown.join(' ')}; there is --dry-run\n`)
  process.exit(2)
}

const scratch = mkdtempSync(path.join(os.tmpdir(), 'keelson-release-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))

const pending = listPendingBumps()
if (!isDryRun && pending.length > 0)
  fail(`${pending.length} packages have pending changesets: run npm run changeset -- version, and commit the result`)

await step('build', build)
const packages = await step('pack', () => packAll(path.join(scratch, 'tarballs')))
await step('contents', checkContents)
await step('install and import each package alone', tryAll)
print(packages)
if (isDryRun) process.exit(0)
// The changeset program uses the pnpm on PATH, so pnpm must have the right version.
const { packageManager } = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')) as {
  readonly packageManager: string
}
process.exit(execute('npx', ['--yes', `--package=${packageManager}`, '--', node, tool('changeset'), 'publish']))

async function step<T>(name: string, action: () => T | Promise<T>): Promise<T> {
  const began = Date.now()
  try {
    const result = await action()
    process.stdout.write(`ok   ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)\n`)
    return result
  } catch (error) {
    const { message, stderr } = error as { readonly message: string; readonly stderr?: string }
    return fail(`${name}: ${message}${stderr === undefined || message.includes(stderr) ? '' : `\n${stderr}`}`)
  }
}

function fail(reason: string): never {
  process.stderr.write(`FAIL ${reason}\n`)
  process.exit(1)
}

function execute(command: string, args: readonly string[]): number {
  const shell = process.platform === 'win32' && command === 'npx'
  return spawnSync(command, args, { cwd: repositoryRoot, stdio: 'inherit', shell }).status ?? 1
}

/** Deletes all build output and builds again, so that the output of removed source files is not published. */
function build(): void {
  for (const { directory } of readPublishedManifests())
    rmSync(path.join(repositoryRoot, directory, 'dist'), { recursive: true, force: true })
  for (const args of [[tool('tsc'), '-b', 'tsconfig.build.json'], ['tooling/run/build.mjs']])
    if (execute(node, args) !== 0) throw new Error('the build failed; see the output above')
}

function checkContents(): void {
  const complaints = packages.flatMap(({ name, directory, files }) =>
    findContentProblems(files, path.join(repositoryRoot, directory)).map((complaint) => `${name}: ${complaint}`),
  )
  if (complaints.length > 0) throw new Error(`the packages have wrong contents:\n  ${complaints.join('\n  ')}`)
}

async function tryAll(): Promise<void> {
  const nodes = [findNode(lowestNode), process.execPath]
  await using registry = await openLocalRegistry(packages)
  const waiting = [...packages]
  const publishWaiting = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const project = await installAlone(name, registry, path.join(scratch, 'projects', path.basename(name.directory)))
      for (const current of nodes) {
        if (name.manifest.bin === undefined) await importAlone(name, project, current)
        else if (!(await runWithNpx(project, current, 'keelson', '--version')).includes('v1.'))
          throw new Error(`npx keelson --version of ${name.name} does not print a version`)
      }
    }
  }
  await Promise.all(Array.from({ length: os.availableParallelism() }, publishWaiting))
}

interface Bump {
  readonly name: string
  readonly type: string
  readonly newVersion: string
}

/** Returns the packages and new versions of the next release, according to the changesets. */
function listPendingBumps(): readonly Bump[] {
  const waiting = readdirSync(path.join(repositoryRoot, '.changeset')).filter((file) => file.endsWith('.md') && file !== 'README.md')
  if (waiting.length === 0) return []
  const output = path.join(scratch, 'status.json')
  const result = spawnSync(node, [tool('changeset'), 'status', '--output', path.relative(repositoryRoot, output)], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  })
  if (result.status !== 0) fail(`changeset status: ${result.stdout}${result.stderr}`)
  return (JSON.parse(readFileSync(output, 'utf8')) as { readonly releases: readonly Bump[] }).releases.filter(({ type }) => type !== 'none')
}

function print(packedPackages: readonly PackedPackage[]): void {
  const next = new Map(pending.map(({ name, newVersion }) => [name, newVersion]))
  const formatKilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KiB`
  const rows = packedPackages.map(({ name, manifest, bytes, files }) => [
    name,
    manifest.version,
    next.get(name) ?? '',
    formatKilobytes(bytes.length),
    formatKilobytes([...files.values()].reduce((sum, { length }) => sum + length, 0)),
    String(files.size),
  ])
  const table = [['package', 'version', 'next', 'tarball', 'unpacked', 'files'], ...rows]
  const widths = table[0]!.map((_, i) => Math.max(...table.map((row) => row[i]!.length)))
  for (const row of table)
    process.stdout.write(
      `${row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd()}\n`,
    )
}
