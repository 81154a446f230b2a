import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Clock } from '@keelson/apimachinery'
import { buildTransformers } from './build-transformers.ts'
import type { BuiltTransformers } from './build-transformers.ts'
import { EncryptionConfigurationError } from './configuration-error.ts'
import { parseEncryptionConfiguration } from './parse-configuration.ts'

/** What is in effect: the transformers, and of which file contents. */
export interface LoadedConfiguration extends BuiltTransformers {
  /** Of the file. The contents themselves are not kept: they have keys in them. */
  readonly hash: string
}

/** Reads, checks and builds; undefined when the contents are those of `known`. Throws `EncryptionConfigurationError`. */
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
