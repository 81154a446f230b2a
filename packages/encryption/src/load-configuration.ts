import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Clock } from '@keelson/apimachinery'
import { buildTransformers } from './build-transformers.ts'
import type { BuiltTransformers } from './build-transformers.ts'
import { EncryptionConfigurationError } from './configuration-error.ts'
import { parseEncryptionConfiguration } from './parse-configuration.ts'

/** Transformers built from a configuration file, with the hash of that file. */
export interface LoadedConfiguration extends BuiltTransformers {
  /** Hash of the file's contents. The contents are not kept, because they include keys. */
  readonly hash: string
}

/**
 * Reads and validates a configuration file and builds its transformers. Returns undefined if the hash of the file equals `known`. Throws
 * `EncryptionConfigurationError` if the file is unreadable or invalid.
 */
export async function loadConfiguration(
  file: string,
  options: { readonly reload: boolean; readonly clock: Clock; readonly known?: string },
): Promise<LoadedConfiguration | undefined> {
  let contents: Buffer
  try {
    contents = await readFile(file)
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file or directory' : (cause as Error).message
    throw new EncryptionConfigurationError(`error reading encryption provider configuration file ${JSON.stringify(file)}: ${reason}`, {
      cause,
    })
  }
  const hash = `sha256:${createHash('sha256').update(contents).digest('hex')}`
  if (hash === options.known) return undefined
  const configuration = parseEncryptionConfiguration(contents.toString('utf8'), { file, reload: options.reload })
  return { ...(await buildTransformers(configuration, options.clock)), hash }
}
