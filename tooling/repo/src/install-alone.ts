import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { LocalRegistry } from './local-registry.ts'
import type { PackedPackage } from './pack.ts'

const run = promisify(execFile)

/** Installs one package from its tarball into an empty project with npm. Returns the directory of the project. */
export async function installAlone(packedPackage: PackedPackage, registry: LocalRegistry, project: string): Promise<string> {
  mkdirSync(project, { recursive: true })
  writeFileSync(path.join(project, '.npmrc'), registry.npmrc)
  writeFileSync(
    path.join(project, 'package.json'),
    JSON.stringify({ type: 'module', dependencies: { [packedPackage.name]: `file:${packedPackage.tarball}` } }),
  )
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], {
    cwd: project,
    shell: process.platform === 'win32',
  })
  return project
}

/** Entry points that are not imported: data, programs, and modules whose optional peer dependencies (vitest, jest) are not installed. */
const skippedEntries = new Set(['./package.json', './main', './testing', './vitest', './jest-environment'])

/** Imports every entry point of the package. */
export async function importAlone({ name, manifest }: PackedPackage, project: string, node: string): Promise<void> {
  const entries = Object.keys(manifest.exports ?? {}).filter((entry) => !skippedEntries.has(entry))
  const code = entries.map((entry) => `await import(${JSON.stringify(path.posix.join(name, entry))})`).join('\n')
  writeFileSync(path.join(project, 'import.mjs'), code)
  await run(node, ['import.mjs'], { cwd: project, timeout: 60_000 })
}

/** Runs the program of a package with npx and the given Node. Returns the output of the program. */
export async function runWithNpx(project: string, node: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('npx', ['--no-install', ...args], {
    cwd: project,
    timeout: 60_000,
    shell: process.platform === 'win32',
    env: { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env['PATH']}` },
  })
  return stdout
}
