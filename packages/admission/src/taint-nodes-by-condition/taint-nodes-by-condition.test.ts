import type { Node } from '@keelson/api/core/v1'
import { expect, it } from 'vitest'
import { admitObject, write } from '../plugin.fixture.ts'
import { createTaintNodesByConditionPlugin } from './index.ts'

const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
const admit = (spec?: Node['spec'], subresource = ''): Promise<Node> =>
  admitObject<Node>(
    createTaintNodesByConditionPlugin(),
    write('nodes', { metadata: { name: 'n' }, ...(spec && { spec }) }, { subresource }),
  )

it('taints a new node once', async () => {
  expect((await admit()).spec).toEqual({ taints: [taint] })
  expect((await admit({ taints: [{ ...taint, value: 'v' }] })).spec).toEqual({ taints: [{ ...taint, value: 'v' }] })
  const other = { ...taint, effect: 'NoExecute' }
  expect((await admit({ taints: [other] })).spec).toEqual({ taints: [other, taint] })
  expect((await admit(undefined, 'status')).spec).toBeUndefined()
})
