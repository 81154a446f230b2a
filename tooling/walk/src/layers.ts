import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

interface TurboFile {
  readonly tags?: readonly string[]
  readonly boundaries?: { readonly tags?: Readonly<Record<string, unknown>> }
}

const readJson = (file: string): TurboFile => JSON.parse(readFileSync(file, 'utf8')) as TurboFile

/** The layers of the packages in `turbo.json`. */
export class Layers {
  readonly #order: readonly string[]
  readonly #layerOf: ReadonlyMap<string, string>

  /** Creates the layers from their names, lowest first, and from the layer of each package. */
  constructor(order: readonly string[], layerOf: ReadonlyMap<string, string>) {
    this.#order = order
    this.#layerOf = layerOf
  }

  static read(root: string): Layers {
    const order = Object.keys(readJson(path.join(root, 'turbo.json')).boundaries?.tags ?? {})
    const packages = path.join(root, 'packages')
    const layerOf = readdirSync(packages).map((name): [string, string] => {
      const tag = readJson(path.join(packages, name, 'turbo.json')).tags?.find((tag) => tag.startsWith('layer:'))
      return [name, tag ?? '']
    })
    return new Layers(order, new Map(layerOf))
  }

  /** Returns the index of a package's layer, 0 for the lowest layer and -1 for a package without a layer. */
  rank(packageName: string): number {
    return this.#order.indexOf(this.#layerOf.get(packageName) ?? '')
  }

  is(packageName: string, ...layers: readonly string[]): boolean {
    return layers.some((layer) => this.#layerOf.get(packageName) === `layer:${layer}`)
  }

  /** Sorts packages by layer, highest first, then by name. */
  sort(packageNames: Iterable<string>): string[] {
    return [...packageNames].sort((a, b) => this.rank(b) - this.rank(a) || (a < b ? -1 : 1))
  }
}

/** Returns the package that contains a file, for example "registry" for "packages/registry/src/store.ts". */
export function getPackage(file: string): string {
  return file.split('/')[1] ?? ''
}
