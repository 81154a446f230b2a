/** Returns the ```ts blocks of a README. Skips blocks that import a package of this repository other than `packages`. */
export function extractExamples(markdown: string, packages: readonly string[]): string[] {
  const blocks = [...markdown.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => match[1]!)
  return blocks.filter((block) => findKeelsonImports(block).every((name) => packages.includes(name)))
}

/** Lists the imported packages of this repository: "@keelson/registry" for `from '@keelson/registry/testing'`. */
function findKeelsonImports(code: string): string[] {
  return [...code.matchAll(/'(@keelson\/[^'/]+)[^']*'/g)].map((match) => match[1]!)
}
