import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const repositoryRoot: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')
/** Recorded facts that live beside the repository; tests that need them skip where they are absent. */
export const sharedDirectory: string = path.resolve(repositoryRoot, '../shared')
export const serverEntry: string = path.join(repositoryRoot, 'apps/apiserver/dist/main.js')
