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
  /** True to reload the file when it changes. Default false. */
  readonly automaticReload?: boolean
  /** Called when a changed file is invalid. The previous configuration stays active. */
  readonly onError?: (error: unknown) => void
  /** Called with the hash of the file when its new contents become active. */
  readonly onReload?: (hash: string) => void
  readonly clock?: Clock
}

/** A readiness check that rejects with the reason while a KMS plugin is unhealthy. */
export interface EncryptionCheck {
  readonly name: string
  check(): Promise<void>
}

/** Encryption at rest as configured, with a transformer per resource. */
export interface Encryption extends ResourceTransformers {
  readonly checks: readonly EncryptionCheck[]
  /** Checks the file now, without waiting for the next poll. Does nothing without automatic reload. */
  reload(): Promise<void>
  close(): void
}

/**
 * Opens encryption at rest. Does not wait for a KMS plugin that is not running yet; its check fails until it runs. Throws
 * `EncryptionConfigurationError`.
 */
export async function openEncryption(options: EncryptionOptions): Promise<Encryption> {
  const { file, automaticReload = false, clock = systemClock } = options
  const loaded = (await loadConfiguration(file, { reload: automaticReload, clock }))!
  const name = 'kms-providers'
  if (!automaticReload) {
    return {
      transformerFor: (resource) => findOverride(loaded, resource),
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
