import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deriveFacts, readFacts, writeTree } from './facts-files.ts'
import { listDescribedItems, readDescriptions } from './descriptions.ts'
import { generate, listPackageExports } from './generate.ts'
import type { PackageExports } from './generate.ts'
import { makeModel } from './model.ts'
import { apiPackage, descriptionsFolder, factsFolder, generatedFolder, referenceFolder } from './paths.ts'

interface Manifest {
  exports: PackageExports
  publishConfig: { exports: PackageExports }
}

/**
 * Step to run. `facts` derives the facts from the reference. `generate` generates the code from the facts and the descriptions. `missing`
 * prints the types and fields without a description, or those of the group in the second argument. Without an argument, the first two steps run,
 * the first only if the reference exists.
 */
const step = process.argv[2]
if (step === 'facts' || (step === undefined && existsSync(referenceFolder))) writeTree(factsFolder, deriveFacts(referenceFolder))
if (step === 'generate' || step === undefined) {
  const facts = readFacts(factsFolder)
  writeTree(generatedFolder, generate(facts, readDescriptions(descriptionsFolder)))
  writeManifest([...facts.keys()])
}

if (step === 'missing') {
  const items = listDescribedItems(makeModel(readFacts(factsFolder)), readDescriptions(descriptionsFolder))
  const missing = items.filter(({ group, text }) => text === undefined && (process.argv[3] ?? group) === group)
  for (const { group, type, field, facts } of missing.toSorted((a, b) => compare(a.type, b.type))) {
    console.log(group, type, field, facts === undefined ? '' : JSON.stringify(facts))
  }
  console.log(`${missing.length} of ${items.length} descriptions are missing`)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function writeManifest(folders: readonly string[]): void {
  const path = join(apiPackage, 'package.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  manifest.exports = listPackageExports(folders, manifest.exports, (file) => `./src/${file}.ts`)
  manifest.publishConfig.exports = listPackageExports(folders, manifest.publishConfig.exports, (file) => ({
    types: `./dist/${file}.d.ts`,
    default: `./dist/${file}.js`,
  }))
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`)
}
