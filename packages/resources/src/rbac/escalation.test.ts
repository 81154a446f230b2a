import type { ClusterRole, PolicyRule } from '@keelson/api/rbac/v1'
import { createResourceAction } from '@keelson/apimachinery'
import type { RequestContext } from '@keelson/apimachinery'
import { testContext } from '@keelson/registry/testing'
import { describe, expect, it } from 'vitest'
import { createBindingHooks, createRoleHooks } from './escalation.ts'
import type { RoleAuthority } from './escalation.ts'

const pods: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
const secrets: PolicyRule = { ...pods, resources: ['secrets'] }
/** A fake authority. All users have the rules for pods. Bob has the verb "escalate" on every role, and "bind" on the role "bindable". */
const authority: RoleAuthority = {
  allows: async ({ user }, verb, { name }) => user.name === 'bob' && (verb === 'escalate' || name === 'bindable'),
  listUserRules: () => ({ rules: [pods], missing: [{ name: 'gone' }] }),
  listRoleRules: async ({ name }) => [name === 'pods' ? pods : secrets],
}
const action = createResourceAction({ verb: 'create', apiGroup: 'rbac.authorization.k8s.io', resource: 'clusterroles' })
const createUserContext = (name: string, groups: string[] = []): RequestContext => ({
  ...testContext(''),
  attributes: action,
  user: { name, groups },
})
const createRole = (rules: PolicyRule[], overrides: Partial<ClusterRole> = {}): ClusterRole => ({
  metadata: { name: 'a' },
  rules,
  ...overrides,
})

describe('privilege escalation', () => {
  const { check } = createRoleHooks(authority, 'clusterroles')
  const create = async (context: RequestContext, role: ClusterRole): Promise<unknown> => check!(context, role, undefined)

  it('is rejected in roles', async () => {
    await create(createUserContext('alice'), createRole([pods]))
    await expect(create(createUserContext('alice', ['dev', 'ops']), createRole([secrets]))).rejects.toMatchObject({
      reason: 'Forbidden',
      code: 403,
      message: `clusterroles.rbac.authorization.k8s.io "a" is forbidden: user "alice" (groups=["dev" "ops"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}; resolution errors: [clusterroles.rbac.authorization.k8s.io "gone" not found]`,
    })
    await create(createUserContext('bob'), createRole([secrets]))
    await create(createUserContext('root', ['system:masters']), createRole([secrets]))
  })

  it('is rejected in aggregated roles', async () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }
    await expect(create(createUserContext('alice'), createRole([pods], { aggregationRule }))).rejects.toThrow(
      'must have cluster-admin privileges',
    )
  })

  it('is not checked for changes of owners and finalizers', async () => {
    const owned = createRole([secrets])
    owned.metadata = { name: 'a', finalizers: ['a/b'] }
    await check!(createUserContext('alice'), owned, createRole([secrets]))
  })

  it('is rejected in bindings', async () => {
    const hooks = createBindingHooks(authority, 'rolebindings')
    const bind = async (context: RequestContext, name: string): Promise<unknown> =>
      hooks.check!(context, { metadata: { name: 'b' }, roleRef: { apiGroup: '', kind: 'Role', name } }, undefined)
    await bind(createUserContext('alice'), 'pods')
    await expect(bind(createUserContext('alice'), 'bindable')).rejects.toMatchObject({ reason: 'Forbidden' })
    await bind(createUserContext('bob'), 'bindable')
    await expect(bind(createUserContext('bob'), 'secrets')).rejects.toMatchObject({ reason: 'Forbidden' })
  })
})
