import { fileURLToPath } from 'node:url'

const root = new URL('../../../', import.meta.url)
const toPath = (relative: string): string => fileURLToPath(new URL(relative, root))

export const factsFolder: string = toPath('tooling/codegen/facts/')
/** Folder with the descriptions of types and fields: one file for each API group. */
export const descriptionsFolder: string = toPath('tooling/codegen/descriptions/')
export const apiPackage: string = toPath('packages/api/')
export const generatedFolder: string = toPath('packages/api/src/generated/')
/** Folder of the reference, which is outside the repository. Only needed to derive the facts. */
export const referenceFolder: string = toPath('../shared/reference/')
