import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const repositoryRoot: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')
/** Recorded facts that live beside the repository; tests that need them skip where they are absent. */
export const sharedDirectory: string = path.resolve(repositoryRoot, '../shared')
/** The built program: of this repository, or the one that `KEELSON_PROGRAM` names. */
export const serverEntry: string = process.env['KEELSON_PROGRAM'] ?? path.join(repositoryRoot, 'apps/apiserver/dist/main.js')
