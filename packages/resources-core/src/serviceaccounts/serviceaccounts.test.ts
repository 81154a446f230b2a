import type { ServiceAccount } from '@keelson/api/core/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { serviceAccounts } from './index.ts'

const context = {} as RequestContext
const metadata = { name: 'a', namespace: 'x' }
const { strategy } = serviceAccounts

describe('service accounts', () => {
  it('keeps only the names of secret references', () => {
    const account: ServiceAccount = { metadata, secrets: [{ name: 's', namespace: 'y', kind: 'Secret' }, { uid: 'u' }] }
    strategy.prepareForCreate?.(context, account)
    expect(account.secrets).toEqual([{ name: 's' }, {}])
  })

  it('warns if a deprecated annotation is added', async () => {
    const annotated = { metadata: { ...metadata, annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } }
    const warnings = await strategy.warningsOnCreate?.(context, annotated)
    expect(warnings?.[0]).toMatch(/^metadata\.annotations\[kubernetes\.io\/enforce-mountable-secrets\]/)
    expect(await strategy.warningsOnUpdate?.(context, annotated, { metadata })).toHaveLength(1)
    expect(await strategy.warningsOnUpdate?.(context, annotated, annotated)).toEqual([])
    expect(await strategy.warningsOnCreate?.(context, { metadata })).toEqual([])
  })
})
