import { glob, readFile, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { KubeObject } from '@keelson/apimachinery'
import { parseYaml } from '@keelson/apimachinery/yaml'

/**
 * Objects to apply: an object, a text that has a line break or starts with `{`, the path of a file, of a folder (`*.yaml`,
 * `*.yml` and `*.json` in it, also in subfolders) or a pattern such as "deploy/*.yaml", or a list of these.
 */
export type Manifests = object | string | readonly Manifests[]

/** Reads all objects of the manifests, in order. Expands kinds such as List into their items. */
export async function readManifests(manifests: Manifests): Promise<readonly KubeObject[]> {
  if (Array.isArray(manifests)) return (await Promise.all((manifests as readonly Manifests[]).map(readManifests))).flat()
  if (typeof manifests !== 'string') return expandList(manifests)
  if (/\n|^\s*\{/.test(manifests)) return parseDocuments(manifests, 'the text')
  const files = await findFiles(manifests)
  if (files.length === 0) throw new Error(`${manifests}: there is no such file, and no file matches`)
  return (await Promise.all(files.map(async (file) => parseDocuments(await readFile(file, 'utf8'), file)))).flat()
}

const isManifest = (file: string): boolean => /\.(?:ya?ml|json)$/.test(file)

/** Returns the files of a path or pattern, sorted by name. */
async function findFiles(pathOrPattern: string): Promise<readonly string[]> {
  const stats = await stat(pathOrPattern).catch(() => undefined)
  if (stats?.isDirectory()) {
    const names = await readdir(pathOrPattern, { recursive: true })
    return names
      .filter(isManifest)
      .toSorted()
      .map((name) => path.join(pathOrPattern, name))
  }
  if (stats !== undefined) return [pathOrPattern]
  const matches: string[] = []
  for await (const file of glob(pathOrPattern)) if (isManifest(file)) matches.push(file)
  return matches.toSorted()
}

/** Parses the documents of a YAML text. They are separated by lines that start with `---`, as kubectl reads them. */
function parseDocuments(text: string, source: string): readonly KubeObject[] {
  return text.split(/^---(?=\s|$)[^\n]*$/m).flatMap((document, i) => {
    try {
      const { value } = parseYaml(document)
      return value === null ? [] : expandList(value)
    } catch (error) {
      throw new Error(`${source}: document ${i + 1}: ${(error as Error).message}`, { cause: error })
    }
  })
}

function expandList(value: unknown): readonly KubeObject[] {
  const object = (typeof value === 'object' && value !== null ? value : {}) as Partial<KubeObject> & { items?: unknown }
  const { apiVersion, kind, metadata, items } = object
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw new TypeError('apiVersion and kind must be set')
  if (kind.endsWith('List') && Array.isArray(items)) return items.flatMap(expandList)
  if (typeof metadata?.name !== 'string') throw new TypeError(`${kind}: metadata.name must be set`)
  return [value as KubeObject]
}

/** Kinds that other objects need, in the order in which they are applied. */
const appliedFirst = ['CustomResourceDefinition', 'Namespace', 'PriorityClass', 'StorageClass', 'ServiceAccount']

/** Sorts objects so that definitions and namespaces come before the objects that need them. Otherwise keeps the order. */
export function sortForApply(objects: readonly KubeObject[]): readonly KubeObject[] {
  const rank = ({ kind = '' }: KubeObject): number => (appliedFirst.includes(kind) ? appliedFirst.indexOf(kind) : appliedFirst.length)
  return objects.toSorted((a, b) => rank(a) - rank(b))
}
