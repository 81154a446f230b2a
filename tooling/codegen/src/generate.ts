import type { GroupVersionFacts } from './fact-types.ts'
import { compileDescriptions } from './descriptions.ts'
import type { GroupTexts } from './descriptions.ts'
import { emitCodec } from './emit-codec.ts'
import { emitIndex } from './emit-index.ts'
import { emitSchema } from './emit-schema.ts'
import { emitTypes } from './emit-types.ts'
import { makeModel } from './model.ts'
import { findUsage } from './usage.ts'

/** Generates the contents of all files from the facts and the descriptions. Keys are paths below `packages/api/src/generated`. */
export function generate(
  tables: ReadonlyMap<string, GroupVersionFacts>,
  descriptions: ReadonlyMap<string, GroupTexts>,
): Map<string, string> {
  const files = new Map<string, string>()
  const model = makeModel(tables)
  const usage = findUsage(model)
  for (const module of model.modules) {
    files.set(`${module.folder}/types.ts`, emitTypes(model, module))
    files.set(`${module.folder}/codec.ts`, emitCodec(model, usage, module))
    files.set(`${module.folder}/schema.ts`, emitSchema(model, module))
    files.set(`${module.folder}/index.ts`, emitIndex(module))
  }
  files.set('descriptions.ndjson', compileDescriptions(model, descriptions))
  return files
}

export interface ExportTarget {
  readonly types: string
  readonly default: string
}
export type PackageExports = Readonly<Record<string, string | ExportTarget>>

/** Returns the `exports` for package.json. Keeps the hand-written entries and adds one per group version. */
export function listPackageExports(
  folders: readonly string[],
  current: PackageExports,
  target: (path: string) => string | ExportTarget,
): PackageExports {
  const otherEntries = Object.entries(current).filter(([name]) => !/^\.\/[a-z0-9]+\/v\d/.test(name) && name !== './package.json')
  const added = folders.toSorted().map((folder): [string, string | ExportTarget] => [`./${folder}`, target(`generated/${folder}/index`)])
  return Object.fromEntries([...otherEntries, ...added, ['./package.json', './package.json']])
}
