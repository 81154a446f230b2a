import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { ResourceTransformers } from '@keelson/storagebackend'
import { checkAll, closeAll } from './kms/kms-providers.ts'
import { loadConfiguration } from './load-configuration.ts'
import { Reloader } from './reloader.ts'
import { followTransformers, findOverride } from './resource-transformers.ts'

export interface EncryptionOptions {
  /** Path of an EncryptionConfiguration (apiserver.config.k8s.io/v1) in YAML or JSON. */
  readonly file: string
  /** True to reload the file when its contents change. Default: false. */
  readonly automaticReload?: boolean
  /** Called if a changed file cannot be used. The previous configuration stays active. */
  readonly onError?: (error: unknown) => void
  /** Called when a changed file becomes active, with the hash of its contents. */
  readonly onReload?: (hash: string) => void
  readonly clock?: Clock
}

/** A readiness check of one KMS plugin. Rejects with the reason if the plugin is unhealthy. */
export interface EncryptionCheck {
  readonly name: string
  check(): Promise<void>
}

/** Encryption at rest: the transformers of a configuration by resource. */
export interface Encryption extends ResourceTransformers {
  readonly checks: readonly EncryptionCheck[]
  /** Reads the file now, without waiting for the next poll. Does nothing if automatic reload is off. */
  reload(): Promise<void>
  close(): void
}

/**
 * Opens encryption at rest with the configuration in a file. Does not wait for KMS plugins that do not run yet. Their readiness checks fail until
 * they run. Throws `EncryptionConfigurationError` if the file is unreadable or invalid.
 */
export async function openEncryption(options: EncryptionOptions): Promise<Encryption> {
  const { file, automaticReload = false, clock = systemClock } = options
  const loaded = (await loadConfiguration(file, { reload: automaticReload, clock }))!
  const name = 'kms-providers'
  if (!automaticReload) {
    return {
      findTransformer: (resource) => findOverride(loaded, resource),
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
