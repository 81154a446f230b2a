import { existsSync, globSync } from 'node:fs'
import path from 'node:path'
import type { Manifest } from './manifests.ts'

interface SourceMap {
  readonly sources: readonly string[]
  readonly sourcesContent?: readonly (string | null)[]
}

type Files = ReadonlyMap<string, Buffer>

const always = ['package.json', 'README.md', 'LICENSE']
const unwanted = /\.test\.|\.test-d\.|\.fixture\.|\.tsbuildinfo$|\.bench\./
const outputs = ['.js', '.js.map', '.d.ts', '.d.ts.map']

/** Returns one message for each problem with the contents of a tarball. `home` is the directory of the packed package. */
export function findContentProblems(files: Files, home: string): readonly string[] {
  const manifest = JSON.parse(files.get('package.json')?.toString() ?? '{}') as Manifest
  const expected = new Set([...always, ...listEntryPoints(manifest)])
  const isCompiled = existsSync(path.join(home, 'tsconfig.build.json')) && manifest.bin === undefined
  if (isCompiled)
    for (const source of listSources(home)) {
      expected.add(`src/${source}`)
      if (/(?<!\.d)\.ts$/.test(source)) for (const output of outputs) expected.add(`dist/${source.replace(/\.ts$/, output)}`)
    }
  const isWanted = (file: string): boolean => expected.has(file) || file === 'CHANGELOG.md' || (!isCompiled && file.startsWith('dist/'))
  return [
    ...[...expected].filter((file) => (files.get(file)?.length ?? 0) === 0).map((file) => `${file} is missing or empty`),
    ...[...files.keys()].filter((file) => unwanted.test(file) || !isWanted(file)).map((file) => `${file} must not be published`),
    ...[...files]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([file, content]) => (file.endsWith('.map') ? mapComplaints(file, content, files) : [])),
    ...findManifestComplaints(manifest),
  ]
}

/** Lists the published files of a package's `src`, relative to `src`. */
function listSources(home: string): readonly string[] {
  return globSync('**/*.{ts,ndjson}', { cwd: path.join(home, 'src') })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => !unwanted.test(file))
}

/** Lists the files of `bin` and `exports`, relative to the package. */
function listEntryPoints({ bin, exports }: Manifest): readonly string[] {
  const leaves = (value: unknown): readonly string[] =>
    typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : []
  return [...leaves(bin), ...leaves(exports)].map((file) => path.posix.normalize(file))
}

function mapComplaints(file: string, content: Buffer, files: Files): readonly string[] {
  const { sources, sourcesContent = [] } = JSON.parse(content.toString()) as SourceMap
  const resolveInPackage = (source: string): string => path.posix.join(path.posix.dirname(file), source)
  return sources
    .filter((source, i) => typeof sourcesContent[i] !== 'string' && !files.has(resolveInPackage(source)))
    .map((source) => `${file} points to ${resolveInPackage(source)}, which is missing`)
}

function findManifestComplaints(manifest: Manifest): readonly string[] {
  const { dependencies, peerDependencies, optionalDependencies } = manifest
  const ranges = Object.entries({ ...dependencies, ...peerDependencies, ...optionalDependencies })
  return [
    ...ranges
      .filter(([, range]) => /^(workspace|catalog|link|file):/.test(range))
      .map(([name, range]) => `${name} has the range ${range}, which only works in the workspace`),
    ...(['devDependencies', 'scripts'] as const).filter((key) => manifest[key] !== undefined).map((key) => `package.json has ${key}`),
  ]
}
