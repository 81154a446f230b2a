import type { ClusterRole, PolicyRule } from '@keelson/api/rbac/v1'
import { can, canRequest, read, readWrite, write } from './rules.ts'

interface UserRole {
  readonly rules?: readonly PolicyRule[]
  /** Name of the aggregated role that includes this role's rules. */
  readonly partOf?: AggregatedRole
  /** If set, this is an aggregated role: its rules are those of all roles with this `partOf`. */
  readonly collects?: AggregatedRole
}

type AggregatedRole = 'admin' | 'edit' | 'view'

/** Rules of the cluster roles for users and clients. */
const userRoles: Readonly<Record<string, UserRole>> = {
  'cluster-admin': { rules: [can('*', { groups: '*', resources: '*' }), canRequest('*', '*')] },
  'system:discovery': {
    rules: [canRequest('get', '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/')],
  },
  'system:monitoring': {
    rules: [
      canRequest('get', '/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz'),
      can('get', { resources: 'nodes/metrics' }),
    ],
  },
  'system:basic-user': {
    rules: [
      can('create', { groups: 'authorization.k8s.io', resources: 'selfsubjectaccessreviews selfsubjectrulesreviews' }),
      can('create', { groups: 'authentication.k8s.io', resources: 'selfsubjectreviews' }),
    ],
  },
  'system:public-info-viewer': { rules: [canRequest('get', '/healthz /livez /readyz /version /version/')] },
  admin: { collects: 'admin' },
  edit: { collects: 'edit', partOf: 'admin' },
  view: { collects: 'view', partOf: 'edit' },
  'system:aggregate-to-admin': {
    partOf: 'admin',
    rules: [
      can('create', { groups: 'authorization.k8s.io', resources: 'localsubjectaccessreviews' }),
      can(readWrite, { groups: 'rbac.authorization.k8s.io', resources: 'rolebindings roles' }),
    ],
  },
  'system:aggregate-to-edit': {
    partOf: 'edit',
    rules: [
      can(read, { resources: 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy' }),
      can('impersonate', { resources: 'serviceaccounts' }),
      can(write, { resources: 'pods pods/attach pods/exec pods/portforward pods/proxy' }),
      can('create', { resources: 'pods/eviction' }),
      can(write, {
        resources:
          'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      }),
      can('create', { resources: 'serviceaccounts/token' }),
      can(write, { groups: 'core events.k8s.io', resources: 'events' }),
      can(write, {
        groups: 'apps',
        resources:
          'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
      }),
      can(write, { groups: 'autoscaling', resources: 'horizontalpodautoscalers' }),
      can(write, { groups: 'batch', resources: 'cronjobs jobs' }),
      can(write, {
        groups: 'extensions',
        resources:
          'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
      }),
      can(write, { groups: 'policy', resources: 'poddisruptionbudgets' }),
      can(write, { groups: 'networking.k8s.io', resources: 'ingresses networkpolicies' }),
      can(readWrite, { groups: 'coordination.k8s.io', resources: 'leases' }),
      can(write, { groups: 'resource.k8s.io', resources: 'resourceclaims resourceclaimtemplates' }),
    ],
  },
  'system:aggregate-to-view': {
    partOf: 'view',
    rules: [
      can(read, {
        resources:
          'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      }),
      can(read, {
        resources:
          'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      }),
      can(read, { resources: 'namespaces' }),
      can(read, { groups: 'core events.k8s.io', resources: 'events' }),
      can(read, { groups: 'discovery.k8s.io', resources: 'endpointslices' }),
      can(read, {
        groups: 'apps',
        resources:
          'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      }),
      can(read, { groups: 'autoscaling', resources: 'horizontalpodautoscalers horizontalpodautoscalers/status' }),
      can(read, { groups: 'batch', resources: 'cronjobs cronjobs/status jobs jobs/status' }),
      can(read, {
        groups: 'extensions',
        resources:
          'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      }),
      can(read, { groups: 'policy', resources: 'poddisruptionbudgets poddisruptionbudgets/status' }),
      can(read, { groups: 'networking.k8s.io', resources: 'ingresses ingresses/status networkpolicies' }),
      can(read, { groups: 'resource.k8s.io', resources: 'resourceclaims resourceclaims/status resourceclaimtemplates' }),
    ],
  },
}

export const userClusterRoles: readonly ClusterRole[] = Object.entries(userRoles).map(([name, role]) => createClusterRole(name, role))

function createClusterRole(name: string, { rules, partOf, collects }: UserRole): ClusterRole {
  const metadata = partOf === undefined ? { name } : { name, labels: { [formatAggregationLabel(partOf)]: 'true' } }
  if (collects === undefined) return { metadata, rules: [...(rules ?? [])] }
  return {
    metadata,
    rules: null,
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [formatAggregationLabel(collects)]: 'true' } }] },
  }
}

function formatAggregationLabel(role: AggregatedRole): string {
  return `rbac.authorization.k8s.io/aggregate-to-${role}`
}
