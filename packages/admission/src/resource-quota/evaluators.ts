import type { Clock, GroupResource } from '@keelson/apimachinery'
import { objectCount } from './evaluator.ts'
import type { Evaluator } from './evaluator.ts'
import { persistentVolumeClaimEvaluator } from './persistent-volume-claims.ts'
import { podEvaluator } from './pods.ts'
import { resourceClaimEvaluator } from './resource-claims.ts'
import { serviceEvaluator } from './services.ts'

/** Resources that are not stored, or as short-lived as events. */
const ignored: ReadonlySet<string> = new Set([
  '/bindings',
  '/componentstatuses',
  '/events',
  'events.k8s.io/events',
  'authentication.k8s.io/tokenreviews',
  'authentication.k8s.io/selfsubjectreviews',
  'authorization.k8s.io/subjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
])
const aliased = ['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']

/** Returns the evaluator of a resource; most resources are only counted. undefined: not subject to quota. */
export function createEvaluators(clock: Clock): (resource: GroupResource) => Evaluator | undefined {
  const known = new Map<string, Evaluator>([
    ['/pods', podEvaluator(clock)],
    ['/services', serviceEvaluator],
    ['/persistentvolumeclaims', persistentVolumeClaimEvaluator],
    ['resource.k8s.io/resourceclaims', resourceClaimEvaluator],
    ...aliased.map((resource) => [`/${resource}`, objectCount({ group: '', resource }, resource)] as const),
  ])
  return ({ group, resource }) => {
    const key = `${group}/${resource}`
    if (ignored.has(key)) return undefined
    let evaluator = known.get(key)
    if (evaluator === undefined) known.set(key, (evaluator = objectCount({ group, resource })))
    return evaluator
  }
}
