import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const repositoryRoot: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')

export interface PublishedPackage {
  readonly name: string
  /** Relative to the root: "packages/cacher". */
  readonly directory: string
  readonly tarball: string
  /** The workspace packages it needs, directly or not. */
  readonly workspaceDependencies: readonly string[]
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Packs every public package as a release would (pnpm swaps `exports` to dist). Needs `tsc -b` to have run. */
export function packAll(destination: string): readonly PublishedPackage[] {
  mkdirSync(destination, { recursive: true })
  const manifests = new Map<string, { manifest: Manifest; directory: string }>()
  for (const top of ['packages', 'apps'])
    for (const name of readdirSync(path.join(repositoryRoot, top))) {
      const directory = `${top}/${name}`
      const file = path.join(repositoryRoot, directory, 'package.json')
      if (!existsSync(file)) continue
      const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest
      if (manifest.private !== true) manifests.set(manifest.name, { manifest, directory })
    }
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
