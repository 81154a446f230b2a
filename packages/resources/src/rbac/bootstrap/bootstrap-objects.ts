import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from '@keelson/api/rbac/v1'
import { authenticatedGroup, mastersGroup, unauthenticatedGroup } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, ObjectMeta } from '@keelson/apimachinery'
import { controllerRules } from './controller-roles.ts'
import { can, read, recordEvents } from './rules.ts'
import { systemRules } from './system-roles.ts'
import { userClusterRoles } from './user-roles.ts'

const apiGroup = 'rbac.authorization.k8s.io'

/**
 * Annotation that controls updates when the server starts. With "true", the server adds missing rules and subjects. With "false", it keeps
 * an administrator's changes.
 */
export const roleAutoUpdateAnnotation = 'rbac.authorization.kubernetes.io/autoupdate'

const createUser = (name: string): Subject => ({ kind: 'User', apiGroup, name })
const group = (name: string): Subject => ({ kind: 'Group', apiGroup, name })
const createAccount = (name: string): Subject => ({ kind: 'ServiceAccount', name, namespace: 'kube-system' })
const controllerManager = createUser('system:kube-controller-manager')
const scheduler = createUser('system:kube-scheduler')

/** Subjects of the bootstrap cluster role binding of each cluster role. */
const clusterSubjects: Readonly<Record<string, readonly Subject[]>> = {
  'cluster-admin': [group(mastersGroup)],
  'system:monitoring': [group('system:monitoring')],
  'system:discovery': [group(authenticatedGroup)],
  'system:basic-user': [group(authenticatedGroup)],
  'system:public-info-viewer': [group(authenticatedGroup), group(unauthenticatedGroup)],
  'system:node-proxier': [createUser('system:kube-proxy')],
  'system:kube-controller-manager': [controllerManager],
  'system:kube-dns': [createAccount('kube-dns')],
  'system:kube-scheduler': [scheduler],
  'system:volume-scheduler': [scheduler],
  // The binding has no subjects, because the node authorizer authorizes nodes by name.
  'system:node': [],
  'system:service-account-issuer-discovery': [group('system:serviceaccounts')],
}

interface NamespacedRole {
  readonly namespace: string
  readonly name: string
  readonly rules: readonly PolicyRule[]
  readonly subjects: readonly Subject[]
  /** Name of the binding. Default: the name of the role. */
  readonly binding?: string
}

const lockLeases = ['leases', 'leasecandidates'].map((resources) =>
  can('create get list update watch', { groups: 'coordination.k8s.io', resources }),
)

const namespacedRoles: readonly NamespacedRole[] = [
  {
    namespace: 'kube-system',
    name: 'extension-apiserver-authentication-reader',
    rules: [can(read, { resources: 'configmaps', names: 'extension-apiserver-authentication' })],
    binding: 'system::extension-apiserver-authentication-reader',
    subjects: [controllerManager, scheduler],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:bootstrap-signer',
    rules: [can(read, { resources: 'secrets' })],
    subjects: [createAccount('bootstrap-signer')],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:cloud-provider',
    rules: [can('create get list watch', { resources: 'configmaps' })],
    subjects: [createAccount('cloud-provider')],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:token-cleaner',
    rules: [can('delete get list watch', { resources: 'secrets' }), recordEvents],
    subjects: [createAccount('token-cleaner')],
  },
  {
    namespace: 'kube-system',
    name: 'system::leader-locking-kube-controller-manager',
    rules: lockLeases,
    subjects: [controllerManager, createAccount('kube-controller-manager'), createAccount('leader-election-controller')],
  },
  {
    namespace: 'kube-system',
    name: 'system::leader-locking-kube-scheduler',
    rules: lockLeases,
    subjects: [scheduler, createAccount('kube-scheduler')],
  },
  {
    namespace: 'kube-public',
    name: 'system:controller:bootstrap-signer',
    rules: [can(read, { resources: 'configmaps' }), can('update', { resources: 'configmaps', names: 'cluster-info' }), recordEvents],
    subjects: [createAccount('bootstrap-signer')],
  },
]

/** Builds the metadata of a bootstrap object. */
function bootstrapMetadata(metadata: ObjectMeta): ObjectMeta {
  return {
    ...metadata,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...metadata.labels },
    annotations: { [roleAutoUpdateAnnotation]: 'true' },
  }
}

const withMetadata = <T extends KubeObject>(object: T): T => ({ ...object, metadata: bootstrapMetadata(object.metadata) })

/** Roles and bindings of a new cluster, as kube-apiserver creates them with the default feature gates. */
export const bootstrapClusterRoles: readonly DeepReadonly<ClusterRole>[] = [
  ...userClusterRoles,
  ...Object.entries(systemRules).map(([name, rules]): ClusterRole => ({ metadata: { name }, rules: [...rules] })),
  ...Object.entries(controllerRules).map(([name, rules]): ClusterRole => ({
    metadata: { name: `system:controller:${name}` },
    rules: [...rules],
  })),
].map(withMetadata)

export const bootstrapClusterRoleBindings: readonly DeepReadonly<ClusterRoleBinding>[] = [
  ...Object.entries(clusterSubjects),
  ...Object.keys(controllerRules).map((name) => [`system:controller:${name}`, [createAccount(name)]] as const),
].map(([name, subjects]) =>
  withMetadata<ClusterRoleBinding>({
    metadata: { name },
    ...(subjects.length > 0 && { subjects: [...subjects] }),
    roleRef: { apiGroup, kind: 'ClusterRole', name },
  }),
)

export const bootstrapRoles: readonly DeepReadonly<Role>[] = namespacedRoles.map(({ namespace, name, rules }) =>
  withMetadata<Role>({ metadata: { namespace, name }, rules: [...rules] }),
)

export const bootstrapRoleBindings: readonly DeepReadonly<RoleBinding>[] = namespacedRoles.map(
  ({ namespace, name, binding = name, subjects }) =>
    withMetadata<RoleBinding>({
      metadata: { namespace, name: binding },
      subjects: [...subjects],
      roleRef: { apiGroup, kind: 'Role', name },
    }),
)

/** Maps each cluster role that became an aggregated role to the role that receives its stored rules on an upgrade. */
export const rolesToAggregate: Readonly<Record<string, string>> = {
  admin: 'system:aggregate-to-admin',
  edit: 'system:aggregate-to-edit',
  view: 'system:aggregate-to-view',
}

/** Maps a binding of old clusters to the new binding that receives its subjects on an upgrade. */
export const bindingsToSplit: Readonly<Record<string, string>> = { 'system:discovery': 'system:public-info-viewer' }
