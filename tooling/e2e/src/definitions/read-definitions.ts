import { parseYaml } from '@keelson/apimachinery/yaml'
import type { JsonObject } from '@keelson/apimachinery'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { findOnPath } from '../real-parts/find-on-path.ts'
import { userCache } from '../real-parts/user-cache.ts'
import { projects } from './projects.ts'
import type { Project } from './projects.ts'

/** A CustomResourceDefinition of a real project. */
export interface RealDefinition {
  /** Go module of the project, without the version. */
  readonly project: string
  readonly name: string
  /** The definition as JSON. Parsing it loses digits of some integers of 64 bits. */
  readonly json: string
}

/**
 * Returns the definitions of `projects`, in the order of the list. Downloads the Go modules on first use and keeps the parsed definitions in
 * the user's cache. Throws if Go is missing or a module cannot be downloaded.
 */
export async function readDefinitions(limit: number = Infinity): Promise<readonly RealDefinition[]> {
  const hash = createHash('sha256')
    .update(JSON.stringify([projects, helmLine.source]))
    .digest('hex')
    .slice(0, 16)
  const file = path.join(userCache, `definitions-${hash}.jsonl`)
  if (!existsSync(file)) {
    const lines = (await downloadDefinitions()).map((realDefinition) => `${JSON.stringify(realDefinition)}\n`)
    mkdirSync(userCache, { recursive: true })
    writeFileSync(`${file}.${process.pid}`, lines.join(''))
    renameSync(`${file}.${process.pid}`, file)
  }
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.slice(0, limit).map((line) => JSON.parse(line) as RealDefinition)
}

async function downloadDefinitions(): Promise<RealDefinition[]> {
  const definitions = new Map<string, RealDefinition>()
  for (const project of projects) {
    const before = definitions.size
    for (const realDefinition of await readProject(project))
      if (!definitions.has(realDefinition.name)) definitions.set(realDefinition.name, realDefinition)
    if (definitions.size === before) throw new Error(`${project.module} contains no definition that the projects before it do not contain`)
  }
  return [...definitions.values()]
}

/** Downloads the module of a project and returns its definitions. */
export async function readProject(project: Project): Promise<RealDefinition[]> {
  const directory = await downloadModule(project.module)
  return listFiles(project, directory).flatMap((file) =>
    parseDefinitions(readFileSync(file, 'utf8')).map((definition) => ({
      project: project.module.replace(/@.*/, ''),
      name: (definition['metadata'] as { name: string }).name,
      json: stringifyExactly(definition),
    })),
  )
}

/** Downloads a module without its dependencies. Returns its directory in Go's module cache. */
async function downloadModule(module: string): Promise<string> {
  const go = process.env['GO_BIN'] ?? findOnPath('go')
  if (go === undefined) throw new Error('Go is not installed; set GO_BIN')
  // Run outside of any Go module, because `go mod download` otherwise reads the go.mod of that module.
  const { stdout } = await promisify(execFile)(go, ['mod', 'download', '-json', module], { cwd: os.tmpdir() })
  return (JSON.parse(stdout) as { Dir: string }).Dir
}

function listFiles({ paths }: Project, directory: string): string[] {
  return paths.flatMap((relative) => {
    const full = path.join(directory, relative)
    if (!statSync(full).isDirectory()) return [full]
    return readdirSync(full)
      .filter((name) => /\.ya?ml$/.test(name))
      .toSorted()
      .map((name) => path.join(full, name))
  })
}

/** Returns the CustomResourceDefinitions of version v1 in a YAML file with several documents. Removes labels that are Helm templates. */
function parseDefinitions(text: string): JsonObject[] {
  return text
    .split(/^---.*$/m)
    .filter(
      (document) =>
        /^kind: *"?CustomResourceDefinition/m.test(document) && /^apiVersion: *"?apiextensions.k8s.io\/v1"?\s*$/m.test(document),
    )
    .map((document) => parseYaml(document.replaceAll(helmLine, '')).value as JsonObject)
}

/** A line of a label whose value is a Helm template. cert-manager's definitions contain such labels. */
const helmLine = /^ +[\w./-]+: '\{\{.*\}\}'\n/gm

/** Encodes a value as JSON. Writes integers that are `bigint`s with all digits. */
function stringifyExactly(value: JsonObject): string {
  const marked = JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? `bigint:${inner}` : inner))
  return marked.replaceAll(/"bigint:(-?\d+)"/g, '$1')
}
