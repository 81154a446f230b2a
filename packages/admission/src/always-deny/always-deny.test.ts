import { expect, it } from 'vitest'
import { createAlwaysAdmitPlugin } from '../always-admit/index.ts'
import type { AdmissionPlugin } from '../admission.ts'
import { createAdmissionChain } from '../create-admission-chain.ts'
import { write } from '../plugin.fixture.ts'
import { createAlwaysDenyPlugin } from './index.ts'

const operations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const
const phases = ['admit', 'validate'] as const

it.each(operations)('AlwaysDeny rejects %s in both phases, and AlwaysAdmit admits it', async (operation) => {
  const run = async (plugin: AdmissionPlugin, phase: (typeof phases)[number]): Promise<void> =>
    createAdmissionChain([plugin])[phase](write('configmaps', { metadata: { name: 'a' } }, { operation }))
  for (const phase of phases) {
    await expect(run(createAlwaysDenyPlugin(), phase)).rejects.toMatchObject({
      code: 403,
      message: 'configmaps "a" is forbidden: admission control is denying all modifications',
    })
    await run(createAlwaysAdmitPlugin(), phase)
  }
})
