import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repositoryRoot } from '../repository-root.ts'

const run = promisify(execFile)
/** Directory for the recipes. It is in this package, because the recipes import its dependencies. */
const scratch = path.join(import.meta.dirname, '../../dist/recipes')
/** Documents with recipes. The README of a package is one if its examples import packages that depend on it. */
const guides = ['CONTRIBUTING.md', 'packages/aggregator/README.md'].map((file) => readFileSync(path.join(repositoryRoot, file), 'utf8'))
const recipes = guides.flatMap((guide) =>
  [...guide.matchAll(/^### (Add .*)\n[^]*?^```ts\n([^]*?)^```/gm)].map(([, title, code]) => [title!, code!] as const),
)
/** Files that declare types for packages without types. */
const ambient = path.join(repositoryRoot, 'packages/*/src/*.d.ts')
const locateRecipe = (title: string): string => path.join(scratch, `${title.toLowerCase().replaceAll(' ', '-')}.ts`)

beforeAll(() => {
  mkdirSync(scratch, { recursive: true })
  for (const [title, code] of recipes) writeFileSync(locateRecipe(title), code)
  const compilerOptions = {
    noEmit: true,
    composite: false,
    declaration: false,
    isolatedDeclarations: false,
    rewriteRelativeImportExtensions: false,
  }
  const settings = { extends: path.join(repositoryRoot, 'tsconfig.json'), compilerOptions, include: ['*.ts', ambient], exclude: [] }
  writeFileSync(path.join(scratch, 'tsconfig.json'), JSON.stringify(settings))
})
afterAll(() => rmSync(scratch, { recursive: true }))

test('the documents contain the expected recipes', () => {
  expect(recipes.map(([title]) => title)).toEqual([
    'Add a resource',
    'Add a group',
    'Add a filter',
    'Add an admission plugin',
    'Add an extension API server',
  ])
})

test('the code of the recipes compiles', async () => {
  const tsc = path.join(repositoryRoot, 'node_modules/typescript/bin/tsc')
  const errors = await run(process.execPath, [tsc, '-p', scratch, '--pretty', 'false']).then(
    () => '',
    (error: { readonly stdout: string }) => error.stdout,
  )
  expect(errors).toBe('')
})

test.each(recipes)('the code of the recipe %s runs', async (title) => {
  await run(process.execPath, [locateRecipe(title)], { timeout: 60_000 })
})
