import type { Service } from '@keelson/api/core/v1'
import { expect, it } from 'vitest'
import { update, write } from '../plugin.fixture.ts'
import { denyServiceExternalIPs } from './index.ts'

const plugin = denyServiceExternalIPs()
const createService = (...externalIPs: string[]): Service => ({ metadata: { name: 's' }, spec: { externalIPs } })
const refusal = expect.objectContaining({
  code: 403,
  message: 'services "s" is forbidden: Use of external IPs is denied by admission control',
})

it('rejects new external IPs', () => {
  expect(() => plugin.validate!(write('services', createService('1.1.1.1')))).toThrow(refusal)
  expect(() => plugin.validate!(update('services', createService(), createService('1.1.1.1')))).toThrow(refusal)
  expect(() => plugin.validate!(update('services', createService('1.1.1.1'), createService('1.1.1.1', '2.2.2.2')))).toThrow(refusal)
})

it('admits services without external IPs, and updates that keep or remove them', async () => {
  await plugin.validate!(write('services', createService()))
  await plugin.validate!(write('services', { metadata: { name: 's' } }))
  await plugin.validate!(update('services', createService('1.1.1.1', '2.2.2.2'), createService('2.2.2.2', '1.1.1.1')))
  await plugin.validate!(update('services', createService('1.1.1.1', '2.2.2.2'), createService('2.2.2.2')))
})
