import os from 'node:os'
import path from 'node:path'

/** Keeps third-party programs between runs and checkouts. */
export const userCache: string = path.join(process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), 'keelson')
