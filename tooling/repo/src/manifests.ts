import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const repositoryRoot: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')

type Ranges = Readonly<Record<string, string>>

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly engines?: Ranges
  readonly bin?: Ranges
  readonly scripts?: Ranges
  readonly exports?: Readonly<Record<string, unknown>>
  readonly publishConfig?: Readonly<Record<string, unknown>>
  readonly dependencies?: Ranges
  readonly devDependencies?: Ranges
  readonly peerDependencies?: Ranges
  readonly optionalDependencies?: Ranges
}

export interface PublishedManifest {
  /** Path of the package relative to the root, for example "packages/cacher". */
  readonly directory: string
  readonly manifest: Manifest
}

/** Returns the manifests of all published packages. */
export function readPublishedManifests(): readonly PublishedManifest[] {
  return ['packages', 'apps'].flatMap((top) =>
    readdirSync(path.join(repositoryRoot, top))
      .map((name) => `${top}/${name}`)
      .filter((directory) => existsSync(path.join(repositoryRoot, directory, 'package.json')))
      .map((directory) => ({ directory, manifest: readManifest(directory) }))
      .filter(({ manifest }) => manifest.private !== true),
  )
}

const readManifest = (directory: string): Manifest =>
  JSON.parse(readFileSync(path.join(repositoryRoot, directory, 'package.json'), 'utf8')) as Manifest
