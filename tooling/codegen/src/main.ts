import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { factsFromReference, readFacts, writeTree } from './facts-files.ts'
import { generate, packageExports } from './generate.ts'
import type { PackageExports } from './generate.ts'
import { apiPackage, factsFolder, generatedFolder, referenceFolder } from './paths.ts'

interface Manifest {
  exports: PackageExports
  publishConfig: { exports: PackageExports }
}

/** `main.ts facts` derives the facts from the reference; `main.ts generate` the code from the facts; without argument, both if possible. */
const step = process.argv[2]
if (step === 'facts' || (step === undefined && existsSync(referenceFolder))) writeTree(factsFolder, factsFromReference(referenceFolder))
if (step === 'generate' || step === undefined) {
  const facts = readFacts(factsFolder)
  writeTree(generatedFolder, generate(facts))
  writeManifest([...facts.keys()])
}

function writeManifest(folders: readonly string[]): void {
  const path = join(apiPackage, 'package.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  manifest.exports = packageExports(folders, manifest.exports, (file) => `./src/${file}.ts`)
  manifest.publishConfig.exports = packageExports(folders, manifest.publishConfig.exports, (file) => ({
    types: `./dist/${file}.d.ts`,
    default: `./dist/${file}.js`,
  }))
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`)
}
