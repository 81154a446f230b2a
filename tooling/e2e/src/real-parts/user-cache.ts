import os from 'node:os'
import path from 'node:path'

/** Where other people's programs are kept between runs, and between checkouts. */
export const userCache: string = path.join(process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), 'keelson')
