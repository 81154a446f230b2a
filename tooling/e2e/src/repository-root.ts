import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const repositoryRoot: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')
/**
 * Folder next to the repository that contains recordings of kube-apiserver. Tests that need the recordings are skipped if it does not
 * exist.
 */
export const sharedDirectory: string = path.resolve(repositoryRoot, '../shared')
/** Path of the built program, or `KEELSON_PROGRAM` if set. */
export const serverEntry: string = process.env['KEELSON_PROGRAM'] ?? path.join(repositoryRoot, 'apps/apiserver/dist/main.js')
