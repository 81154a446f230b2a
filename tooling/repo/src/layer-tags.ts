// Every workspace package has exactly one layer tag that turbo.json knows: `turbo boundaries` lets an untagged package pass unseen.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

interface TurboFile {
  readonly tags?: readonly string[]
  readonly boundaries?: { readonly tags?: Readonly<Record<string, unknown>> }
}

const readJson = (file: string): TurboFile => JSON.parse(readFileSync(file, 'utf8')) as TurboFile

/** One sentence for each package that breaks the rule. */
export function untaggedPackages(root: string): readonly string[] {
  const known = new Set(Object.keys(readJson(path.join(root, 'turbo.json')).boundaries?.tags ?? {}))
  const complaints: string[] = []
  for (const top of ['packages', 'apps', 'tooling']) {
    if (!existsSync(path.join(root, top))) continue
    for (const name of readdirSync(path.join(root, top))) {
      const home = path.join(root, top, name)
      if (!existsSync(path.join(home, 'package.json'))) continue
      const file = path.join(home, 'turbo.json')
      const tags = (existsSync(file) ? (readJson(file).tags ?? []) : []).filter((tag) => tag.startsWith('layer:'))
      if (tags.length !== 1) complaints.push(`${top}/${name}: has ${tags.length} layer tags in turbo.json, needs one`)
      else if (!known.has(tags[0] ?? '')) complaints.push(`${top}/${name}: turbo.json at the root does not know the tag ${tags[0]}`)
    }
  }
  return complaints
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const complaints = untaggedPackages(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..'))
  for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
  process.exit(complaints.length === 0 ? 0 : 1)
}
