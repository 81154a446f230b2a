import { aggregateMessages } from '@keelson/apimachinery'
import type { KmsProvider } from './kms-provider.ts'

/** Rejects with what all of them have to complain about. */
export async function checkAll(providers: readonly KmsProvider[]): Promise<void> {
  const complaints: string[] = []
  for (const [at, provider] of providers.entries()) {
    try {
      await provider.check()
    } catch (error) {
      complaints.push(`kms-provider-${at}: ${(error as Error).message}`)
    }
  }
  if (complaints.length > 0) throw new Error(aggregateMessages(complaints))
}

export function closeAll(providers: readonly KmsProvider[]): void {
  for (const provider of providers) provider.close()
}

/** Longer than any call under way can take. */
export function graceMs(providers: readonly KmsProvider[]): number {
  return 2 * providers.reduce((sum, { timeoutMs }) => sum + timeoutMs, 0)
}
