import { parseDuration } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { ValueTransformer } from '@keelson/storagebackend'
import { EncryptionConfigurationError } from '../configuration-error.ts'
import type { KmsConfiguration } from '../encryption-configuration.ts'
import { createEnvelopeTransformer } from './envelope-transformer.ts'
import { createKmsClient } from './kms-client.ts'
import { KmsProbe } from './kms-probe.ts'

const defaultTimeoutMs = 3000

export interface KmsProvider {
  readonly name: string
  readonly transformer: ValueTransformer
  /** Timeout of one call in milliseconds. */
  readonly timeoutMs: number
  /** Checks the health of the plugin. Rejects with the reason if it is unhealthy. */
  check(): Promise<void>
  /** Stops all calls to the plugin. Values whose seed is already decrypted stay readable. */
  close(): void
}

export async function openKmsProvider(configuration: KmsConfiguration, clock: Clock): Promise<KmsProvider> {
  const { name, endpoint, timeout } = configuration
  if ((configuration.apiVersion || 'v1') !== 'v2') {
    throw new EncryptionConfigurationError(
      `KMS provider ${JSON.stringify(name)}: KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.`,
    )
  }
  const timeoutMs = timeout == null ? defaultTimeoutMs : Number(parseDuration(timeout)) / 1e6
  const service = createKmsClient({ endpoint, timeoutMs })
  const probe = new KmsProbe(name, service, clock)
  await probe.start()
  return {
    name,
    transformer: createEnvelopeTransformer(service, probe, clock),
    timeoutMs,
    check: () => probe.check(),
    close() {
      probe.stop()
      service.close()
    },
  }
}
