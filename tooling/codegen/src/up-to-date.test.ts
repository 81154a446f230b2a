import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readDescriptions } from './descriptions.ts'
import { deriveFacts, readFacts } from './facts-files.ts'
import { generate, listPackageExports } from './generate.ts'
import type { PackageExports } from './generate.ts'
import { apiPackage, descriptionsFolder, factsFolder, generatedFolder, referenceFolder } from './paths.ts'

/** If these tests fail, run `npm run codegen` to update the files. */
describe('the committed files', () => {
  it.skipIf(!existsSync(referenceFolder))('equal the reference next to the repository', () => {
    expectTree(factsFolder, deriveFacts(referenceFolder))
  })

  it('equal the files generated from the facts and the descriptions', () => {
    expectTree(generatedFolder, generate(readFacts(factsFolder), readDescriptions(descriptionsFolder)))
  })

  it('the exports of the package include every group version', () => {
    const manifest = JSON.parse(readFileSync(join(apiPackage, 'package.json'), 'utf8')) as {
      exports: PackageExports
      publishConfig: { exports: PackageExports }
    }
    const folders = [...readFacts(factsFolder).keys()]
    expect(manifest.exports).toEqual(listPackageExports(folders, manifest.exports, (file) => `./src/${file}.ts`))
    const published = listPackageExports(folders, manifest.publishConfig.exports, (file) => ({
      types: `./dist/${file}.d.ts`,
      default: `./dist/${file}.js`,
    }))
    expect(manifest.publishConfig.exports).toEqual(published)
  })
})

function expectTree(folder: string, files: ReadonlyMap<string, string>): void {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(entries.length).toBe(files.size)
  const stale = [...files].filter(([name, text]) => !existsSync(join(folder, name)) || readFileSync(join(folder, name), 'utf8') !== text)
  expect(stale.map(([name]) => name)).toEqual([])
}
