import os from 'node:os'
import path from 'node:path'

/** Directory for third-party programs. All checkouts share it. */
export const userCache: string = path.join(process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), 'keelson')
