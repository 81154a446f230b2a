import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { node, pnpm, tool } from '@keelson/tooling-run/prepare'
import { readPublishedManifests, repositoryRoot } from './manifests.ts'
import type { Manifest } from './manifests.ts'
import { readTarball } from './tarball.ts'

export interface PackedPackage {
  readonly name: string
  /** Path of the package relative to the root, for example "packages/cacher". */
  readonly directory: string
  readonly tarball: string
  readonly bytes: Buffer
  readonly files: ReadonlyMap<string, Buffer>
  /** package.json as it is published. */
  readonly manifest: Manifest
  /** Names of the direct and indirect dependencies that are packages of this repository. */
  readonly workspaceDependencies: readonly string[]
}

/**
 * Packs every public package like a release does. pnpm builds each package with its `prepack` script and changes `exports` to the built
 * files.
 */
export function packAll(destination: string): readonly PackedPackage[] {
  mkdirSync(destination, { recursive: true })
  // Build once before packing: pnpm packs several packages at a time, and their `prepack` builds would write the same files.
  execFileSync(node, [tool('tsc'), '-b', 'tsconfig.build.json'], { cwd: repositoryRoot, stdio: 'inherit' })
  const published = readPublishedManifests()
  const filters = published.flatMap(({ manifest }) => ['--filter', manifest.name])
  execFileSync(...pnpm(...filters, 'pack', '--pack-destination', destination), {
    cwd: repositoryRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  const byName = new Map(published.map(({ manifest }) => [manifest.name, manifest]))
  return published.map(({ manifest, directory }) => {
    const tarball = path.join(destination, `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`)
    const files = readTarball(tarball)
    return {
      name: manifest.name,
      directory,
      tarball,
      bytes: readFileSync(tarball),
      files,
      manifest: JSON.parse(files.get('package.json')?.toString() ?? '{}') as Manifest,
      workspaceDependencies: collectDependencies(manifest.name, byName),
    }
  })
}

function collectDependencies(name: string, manifests: ReadonlyMap<string, Manifest>): readonly string[] {
  const visited = new Set<string>()
  const visit = (current: string): void => {
    for (const dependency of Object.keys(manifests.get(current)?.dependencies ?? {}))
      if (manifests.has(dependency) && !visited.has(dependency)) {
        visited.add(dependency)
        visit(dependency)
      }
  }
  visit(name)
  return [...visited]
}
