import type { JsonObject } from '@keelson/apimachinery'
import { Random } from '../cases/random.ts'
import { isObject } from '../cases/locations.ts'
import { cleanUp } from '../play/clean-up.ts'
import { explain } from '../play/server.ts'
import type { Answer, Server } from '../play/server.ts'
import { createVocabulary, createRandomBinding, createRandomRole, createRandomRules, rbacPath } from './random-policy.ts'
import type { PolicyObject } from './random-policy.ts'
import type { Step } from '../cases/case.ts'

export interface RoleWriteOptions {
  readonly seed: number
  readonly writes: number
  readonly prefix: string
}

export interface DifferentWrite {
  readonly step: Step
  readonly want: string
  readonly got: string
}

export interface RoleWriteComparison {
  readonly writes: number
  /** Number of writes that both servers rejected as a privilege escalation. */
  readonly refused: number
  readonly differences: readonly DifferentWrite[]
}

/** Permissions of the test users. Each user can also write roles and bindings. */
const limitedPermissions: readonly (readonly JsonObject[])[] = [
  [],
  [{ verbs: ['get', 'list', 'watch', 'create'], apiGroups: ['', 'apps'], resources: ['*'] }],
  [
    { verbs: ['*'], apiGroups: [''], resources: ['pods', 'configmaps', 'pods/*'] },
    { verbs: ['get'], nonResourceURLs: ['/metrics', '/logs/*'] },
  ],
  [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: ['one', 'two'] }],
  [{ verbs: ['escalate'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'] }],
  [{ verbs: ['bind'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'] }],
]
const mayWrite = { verbs: ['create', 'update', 'patch', 'delete', 'get'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['*'] }

/** Writes random roles and bindings as users with limited permissions, and compares the responses. */
export async function compareRoleWrites(
  reference: Server,
  candidate: Server,
  { seed, writes, prefix }: RoleWriteOptions,
): Promise<RoleWriteComparison> {
  const random = new Random(seed)
  const words = createVocabulary(prefix)
  const created = new Set<string>()
  const differences: DifferentWrite[] = []
  let refused = 0
  const sendToBoth = async (step: Step): Promise<readonly [Answer, Answer]> => Promise.all([reference.send(step), candidate.send(step)])
  const install = async (path: string, body: JsonObject & { metadata: { name: string } }): Promise<void> => {
    for (const answer of await sendToBoth({ method: 'POST', path, body }))
      if (answer.code !== 201) throw new Error(`${path}: ${explain(answer)}`)
    created.add(`${path}/${body.metadata.name}`)
  }
  try {
    for (const name of words.namespaces) await install('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    for (const [i, rules] of limitedPermissions.entries()) {
      const name = `${prefix}-writer${i}`
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name }
      const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name }]
      const apiVersion = 'rbac.authorization.k8s.io/v1'
      await install(`${rbacPath}/clusterroles`, { apiVersion, kind: 'ClusterRole', metadata: { name }, rules: [mayWrite, ...rules] })
      await install(`${rbacPath}/clusterrolebindings`, { apiVersion, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects })
      await waitUntilAllowed([reference, candidate], name)
    }
    for (let i = 0; i < writes; i++) {
      const object = random.chance(0.5)
        ? createRandomRole(random, words)
        : createRandomBinding(random, words, `${prefix}-binding${random.below(40)}`)
      const step = createRandomWrite(
        random,
        object,
        `${prefix}-writer${random.below(limitedPermissions.length)}`,
        createRandomRules(random, words, 'Role'),
      )
      const [theirs, own] = await sendToBoth(step)
      if (theirs.code === 201 || own.code === 201) created.add(`${object.path}/${object.name}`)
      const [want, got] = [toComparable(theirs), toComparable(own)]
      if (want !== got) differences.push({ step, want, got })
      else if (theirs.code === 403) refused++
    }
  } finally {
    for (const server of [reference, candidate]) await cleanUp(server, [...created].toReversed())
  }
  return { writes, refused, differences }
}

function createRandomWrite(random: Random, { path, name, manifest }: PolicyObject, user: string, rules: readonly JsonObject[]): Step {
  const headers = { 'impersonate-user': user }
  const patch = 'rules' in manifest ? { rules: [...rules] } : { subjects: manifest['subjects']! }
  switch (random.weighted({ create: 4, update: 3, merge: 2, apply: 1, delete: 1 })) {
    case 'create':
      return { method: 'POST', path, headers, body: manifest }
    case 'update':
      return { method: 'PUT', path: `${path}/${name}`, headers, body: manifest }
    case 'merge':
      return {
        method: 'PATCH',
        path: `${path}/${name}`,
        headers: { ...headers, 'content-type': 'application/merge-patch+json' },
        body: patch,
      }
    case 'apply': {
      const apply = { ...headers, 'content-type': 'application/apply-patch+yaml' }
      return { method: 'PATCH', path: `${path}/${name}?fieldManager=compare&force=true`, headers: apply, body: manifest }
    }
    default:
      return { method: 'DELETE', path: `${path}/${name}`, headers }
  }
}

/** Returns the part of a response that is compared: the code of a success, or the code, reason, details and message of a failure. */
function toComparable({ code, body }: Answer): string {
  if (code < 400 || !isObject(body)) return String(code)
  const { reason = '', message = '', details = null } = body
  return JSON.stringify({ code, reason, details, message })
}

async function waitUntilAllowed(servers: readonly Server[], user: string): Promise<void> {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
  const spec = { resourceAttributes: { verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'roles', namespace: 'default' } }
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec }
  for (const server of servers) {
    for (let attempt = 0; ; attempt++) {
      const answer = await server.send({
        method: 'POST',
        path,
        headers: { 'impersonate-user': user, 'impersonate-group': 'system:authenticated' },
        body,
      })
      const status = isObject(answer.body) ? answer.body['status'] : undefined
      if (isObject(status) && status['allowed'] === true) break
      if (attempt === 200) throw new Error(`${server.url} does not apply a new binding: ${explain(answer)}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
