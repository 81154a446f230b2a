import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { publishedManifests, repositoryRoot } from './manifests.ts'
import type { Manifest, PublishedManifest } from './manifests.ts'

export interface PublishedPackage {
  readonly name: string
  /** Relative to the root: "packages/cacher". */
  readonly directory: string
  readonly tarball: string
  /** The workspace packages it needs, directly or not. */
  readonly workspaceDependencies: readonly string[]
}

/** Packs every public package as a release would (pnpm swaps `exports` to dist). Needs `tsc -b` to have run. */
export function packAll(destination: string): readonly PublishedPackage[] {
  mkdirSync(destination, { recursive: true })
  const manifests = new Map<string, PublishedManifest>(publishedManifests().map((one) => [one.manifest.name, one]))
  const { packageManager } = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')) as { packageManager: string }
  const filters = [...manifests.keys()].flatMap((name) => ['--filter', name])
  execFileSync('npx', ['--yes', packageManager, ...filters, 'pack', '--pack-destination', destination], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return [...manifests.values()].map(({ manifest, directory }) => ({
    name: manifest.name,
    directory,
    tarball: path.join(destination, `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`),
    workspaceDependencies: closure(manifest.name, manifests),
  }))
}

function closure(name: string, manifests: ReadonlyMap<string, { manifest: Manifest }>): readonly string[] {
  const seen = new Set<string>()
  const visit = (current: string): void => {
    for (const dependency of Object.keys(manifests.get(current)?.manifest.dependencies ?? {}))
      if (manifests.has(dependency) && !seen.has(dependency)) {
        seen.add(dependency)
        visit(dependency)
      }
  }
  visit(name)
  return [...seen]
}
