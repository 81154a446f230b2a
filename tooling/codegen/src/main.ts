import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deriveFacts, readFacts, writeTree } from './facts-files.ts'
import { generate, packageExports } from './generate.ts'
import type { PackageExports } from './generate.ts'
import { apiPackage, factsFolder, generatedFolder, referenceFolder } from './paths.ts'

interface Manifest {
  exports: PackageExports
  publishConfig: { exports: PackageExports }
}

/**
 * Step to run. `facts` derives the facts from the reference. `generate` generates the code from the facts. Without an argument, both steps
 * run, the first only if the reference exists.
 */
const step = process.argv[2]
if (step === 'facts' || (step === undefined && existsSync(referenceFolder))) writeTree(factsFolder, deriveFacts(referenceFolder))
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
