import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { ResourceTransformers } from '@keelson/storagebackend'
import { checkAll, closeAll } from './kms/kms-providers.ts'
import { loadConfiguration } from './load-configuration.ts'
import { Reloader } from './reloader.ts'
import { followTransformers, overrideFor } from './resource-transformers.ts'

export interface EncryptionOptions {
  /** An EncryptionConfiguration (apiserver.config.k8s.io/v1), YAML or JSON. */
  readonly file: string
  /** Follow the file's changes. Default false. */
  readonly automaticReload?: boolean
  /** A changed file that is wrong: what was in effect stays so. */
  readonly onError?: (error: unknown) => void
  /** The file changed, and its new contents (told by their hash) are in effect. */
  readonly onReload?: (hash: string) => void
  readonly clock?: Clock
}

/** For a server's readiness: rejects with the reason while a KMS plugin is not healthy. */
export interface EncryptionCheck {
  readonly name: string
  check(): Promise<void>
}

/** Encryption at rest, as configured: the transformer of each resource. */
export interface Encryption extends ResourceTransformers {
  readonly checks: readonly EncryptionCheck[]
  /** Looks at the file now, without waiting for the next minute. Without automatic reload it does nothing. */
  reload(): Promise<void>
  close(): void
}

/** Throws `EncryptionConfigurationError`. A KMS plugin that is not there yet is not waited for: its check fails meanwhile. */
export async function openEncryption(options: EncryptionOptions): Promise<Encryption> {
  const { file, automaticReload = false, clock = systemClock } = options
  const loaded = (await loadConfiguration(file, { reload: automaticReload, clock }))!
  const name = 'kms-providers'
  if (!automaticReload) {
    return {
      transformerFor: (resource) => overrideFor(loaded, resource),
      checks: loaded.kms.length === 0 ? [] : [{ name, check: () => checkAll(loaded.kms) }],
      async reload() {},
      close: () => closeAll(loaded.kms),
    }
  }
  const reloader = new Reloader(loaded, { file, clock, onError: options.onError ?? (() => {}), onReload: options.onReload ?? (() => {}) })
  return {
    ...followTransformers(() => reloader.current),
    checks: [{ name, check: () => checkAll(reloader.current.kms) }],
    reload: () => reloader.poll(),
    close: () => reloader.close(),
  }
}
