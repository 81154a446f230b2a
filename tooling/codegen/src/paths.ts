import { fileURLToPath } from 'node:url'

const root = new URL('../../../', import.meta.url)
const pathOf = (relative: string): string => fileURLToPath(new URL(relative, root))

export const factsFolder: string = pathOf('tooling/codegen/facts/')
export const apiPackage: string = pathOf('packages/api/')
export const generatedFolder: string = pathOf('packages/api/src/generated/')
/** Folder of the reference, which is outside the repository. Only needed to derive the facts. */
export const referenceFolder: string = pathOf('../shared/reference/')
