import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const repositoryRoot: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')
/** Recordings next to the repository. Tests that need them skip if they are absent. */
export const sharedDirectory: string = path.resolve(repositoryRoot, '../shared')
/** The built program of this repository, or the one named by `KEELSON_PROGRAM`. */
export const serverEntry: string = process.env['KEELSON_PROGRAM'] ?? path.join(repositoryRoot, 'apps/apiserver/dist/main.js')
