/** The ```ts blocks of a README that import no package of this repository but `packages`: the examples that are run from the packed package. */
export function readmeExamples(markdown: string, packages: readonly string[]): string[] {
  const blocks = [...markdown.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => match[1]!)
  return blocks.filter((block) => ownImports(block).every((name) => packages.includes(name)))
}

/** "@keelson/registry" of `from '@keelson/registry/testing'`. */
function ownImports(code: string): string[] {
  return [...code.matchAll(/'(@keelson\/[^'/]+)[^']*'/g)].map((match) => match[1]!)
}
