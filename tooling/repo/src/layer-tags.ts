// Checks that every workspace package has exactly one layer tag of turbo.json. `turbo boundaries` ignores packages without a tag.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

interface TurboFile {
  readonly tags?: readonly string[]
  readonly boundaries?: { readonly tags?: Readonly<Record<string, unknown>> }
}

const readJson = (file: string): TurboFile => JSON.parse(readFileSync(file, 'utf8')) as TurboFile

/** Returns one message for each package without exactly one known layer tag. */
export function findUntaggedPackages(root: string): readonly string[] {
  const definedTags = new Set(Object.keys(readJson(path.join(root, 'turbo.json')).boundaries?.tags ?? {}))
  const complaints: string[] = []
  for (const top of ['packages', 'apps', 'tooling']) {
    if (!existsSync(path.join(root, top))) continue
    for (const name of readdirSync(path.join(root, top))) {
      const home = path.join(root, top, name)
      if (!existsSync(path.join(home, 'package.json'))) continue
      const file = path.join(home, 'turbo.json')
      const tags = (existsSync(file) ? (readJson(file).tags ?? []) : []).filter((tag) => tag.startsWith('layer:'))
      if (tags.length !== 1) complaints.push(`${top}/${name}: has ${tags.length} layer tags in turbo.json, must have one`)
      else if (!definedTags.has(tags[0] ?? '')) complaints.push(`${top}/${name}: the tag ${tags[0]} is not defined in the root turbo.json`)
    }
  }
  return complaints
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const complaints = findUntaggedPackages(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..'))
  for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
  process.exit(complaints.length === 0 ? 0 : 1)
}
