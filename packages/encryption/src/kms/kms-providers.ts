import { aggregateMessages } from '@keelson/apimachinery'
import type { KmsProvider } from './kms-provider.ts'

/** Checks the health of all providers. Rejects with the problems of all unhealthy ones. */
export async function checkAll(providers: readonly KmsProvider[]): Promise<void> {
  const problems: string[] = []
  for (const [at, provider] of providers.entries()) {
    try {
      await provider.check()
    } catch (error) {
      problems.push(`kms-provider-${at}: ${(error as Error).message}`)
    }
  }
  if (problems.length > 0) throw new Error(aggregateMessages(problems))
}

export function closeAll(providers: readonly KmsProvider[]): void {
  for (const provider of providers) provider.close()
}

/** Returns the time in milliseconds after which no call to the plugins can still be pending. */
export function computeGraceMs(providers: readonly KmsProvider[]): number {
  return 2 * providers.reduce((sum, { timeoutMs }) => sum + timeoutMs, 0)
}
