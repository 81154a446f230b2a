import type { Authorizer } from '@keelson/auth'
import { resourceAction } from '@keelson/apimachinery'
import { expect, test } from 'vitest'
import { buildAuthorization } from './build-authorizer.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

const action = resourceAction({ verb: 'get', apiGroup: '', apiVersion: 'v1', namespace: '', resource: 'nodes', name: 'a' })
const decide = async (
  authorization: NonNullable<ServerChainOptions['authorization']>,
  authorizers: Authorizer[] = [],
  groups: string[] = [],
) => buildAuthorization({ authorization, authorizers }).authorizer.authorize({ user: { name: 'alice', groups }, action })

test('the modes decide in their order, after administrators and authorizers', async () => {
  const deny: Authorizer = { authorize: () => ({ decision: 'deny', reason: 'no' }) }
  expect(await decide({ modes: ['AlwaysDeny', 'AlwaysAllow'] })).toEqual({ decision: 'allow', reason: '' })
  expect(await decide({ modes: ['AlwaysDeny'] })).toEqual({ decision: 'noOpinion', reason: 'Everything is forbidden.' })
  expect(await decide({ modes: ['AlwaysAllow'] }, [deny])).toEqual({ decision: 'deny', reason: 'no' })
  expect(await decide({ modes: ['AlwaysDeny'] }, [deny], ['system:masters'])).toEqual({ decision: 'allow', reason: '' })
})

test.each([[[]], [['RBAC', 'Node', 'RBAC']]] as const)('%j is refused', (modes) => {
  expect(() => buildAuthorization({ authorization: { modes } })).toThrow(/authorization mode/)
})
